import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { contracts } from '../../functions/all-contracts.ts';
import { GATEWAY_PROBLEMS, gatewayProblemTemplate, methodNotAllowed } from '../../shared/contract/gateway-problems.ts';
import { COMPRESSED_FROM } from '../../shared/contract/sizes.ts';
import { methodsOf } from '../../shared/contract/traits.ts';
import { resourcesIn, resourcesOf, synthesize } from './synthesize.ts';

const refSchema = z.object({ Ref: z.string() });
const methodSchema = z.object({
  HttpMethod: z.string(),
  AuthorizationType: z.string(),
  AuthorizerId: refSchema.optional(),
  ResourceId: z.unknown().optional(),
  Integration: z.object({
    Type: z.string(),
    Uri: z.unknown().optional(),
    IntegrationResponses: z
      .array(
        z.object({
          StatusCode: z.string(),
          ResponseParameters: z.record(z.string(), z.string()),
          ResponseTemplates: z.record(z.string(), z.string()),
        }),
      )
      .optional(),
  }),
});
type Method = z.infer<typeof methodSchema>;

/** Path of a resource, read upwards through its parents. */
function pathOf(template: Template, resourceId: unknown): string {
  const parsed = refSchema.safeParse(resourceId);
  if (!parsed.success) return '';
  const { ParentId, PathPart } = resourcesIn(template)[parsed.data.Ref]?.Properties ?? {};
  return `${pathOf(template, ParentId)}/${String(PathPart)}`;
}

/** By `GET /api/v1/clients`. */
const methodsIn = (template: Template): ReadonlyMap<string, Method> =>
  new Map(
    resourcesOf(template, 'AWS::ApiGateway::Method').map(([, { Properties }]) => {
      const method = methodSchema.parse(Properties);
      return [`${method.HttpMethod} ${pathOf(template, method.ResourceId) || '/'}`, method];
    }),
  );

const routes = contracts.flatMap(({ name, routes }) =>
  Object.values(routes).flatMap((route) =>
    methodsOf(route).map((method) => ({ ...route, method, key: `${method} ${route.path}`, served: name })),
  ),
);

let template: Template;
let methods: ReadonlyMap<string, Method>;
beforeAll(() => {
  template = synthesize();
  methods = methodsIn(template);
});

const authorizerOf = (from: Template, method: Method | undefined) =>
  resourcesIn(from)[method?.AuthorizerId?.Ref ?? '']?.Properties;

describe('routes', () => {
  test('are those of the contracts, and HEAD where there is GET, no more and no less', () => {
    expect(routes.filter(({ key }) => key.startsWith('HEAD ')).length).toBeGreaterThan(30);
    const declared = [...methods.keys()].filter((key) => !key.startsWith('ANY '));
    expect(declared.toSorted()).toEqual(routes.map(({ key }) => key).toSorted());
  });

  test('go to the function of their contract', () => {
    for (const { key, served } of routes) {
      const integration = methods.get(key)?.Integration;
      expect(integration?.Type).toBe('AWS_PROXY');
      const [, alias = ''] = /functions\/",\{"Ref":"(\w+)"\}/.exec(JSON.stringify(integration?.Uri)) ?? [];
      const { Ref: id = '' } = (resourcesIn(template)[alias]?.Properties.FunctionName ?? {}) as {
        readonly Ref?: string;
      };
      expect(resourcesIn(template)[id]?.Properties.FunctionName, key).toBe(`custodia-test-${served}`);
    }
  });

  test('are authorized as they declare', () => {
    for (const { key, auth } of routes) {
      const type = auth.startsWith('bearer') ? 'CUSTOM' : 'NONE';
      expect(methods.get(key)?.AuthorizationType, key).toBe(type);
    }
  });

  test('keep an answer of the authorizer for a minute at most, by the header that it depends on', () => {
    for (const [, { Properties }] of resourcesOf(template, 'AWS::ApiGateway::Authorizer')) {
      expect(Properties).toMatchObject({
        Type: 'REQUEST',
        AuthorizerResultTtlInSeconds: 60,
        IdentitySource: 'method.request.header.Authorization',
      });
    }
  });
});

test('a stage that allows a first key asks about such routes without a token, and never from a cache', () => {
  const open = synthesize({ context: { firstKey: 'true' } });
  const opened = methodsIn(open);
  for (const { key, auth } of routes.filter((route) => route.auth.startsWith('bearer'))) {
    const authorizer = authorizerOf(open, opened.get(key));
    expect(authorizer?.AuthorizerResultTtlInSeconds, key).toBe(auth === 'bearer-optional' ? 0 : 60);
    expect(authorizer?.IdentitySource ?? '', key).toBe(
      auth === 'bearer-optional' ? '' : 'method.request.header.Authorization',
    );
  }
});

test('a stage that keeps no answer of the authorizer has every request checked, and still wants the header', () => {
  const careful = synthesize({ context: { authorizerCacheSeconds: '0' } });
  for (const [, { Properties }] of resourcesOf(careful, 'AWS::ApiGateway::Authorizer')) {
    expect(Properties).toMatchObject({
      AuthorizerResultTtlInSeconds: 0,
      IdentitySource: 'method.request.header.Authorization',
    });
  }
});

describe('what is not declared', () => {
  const mock = (key: string) => {
    const method = methods.get(key);
    expect(method?.AuthorizationType, key).toBe('NONE');
    expect(method?.Integration.Type, key).toBe('MOCK');
    return method?.Integration.IntegrationResponses?.[0];
  };

  test('is a 405 with Allow on a declared path', () => {
    const byPath = Map.groupBy(routes, ({ path }) => path);
    expect(byPath.size).toBeGreaterThan(0);
    for (const [path, declared] of byPath) {
      const response = mock(`ANY ${path}`);
      expect(response?.StatusCode).toBe('405');
      const isPublic = declared.every(({ auth, method }) => auth === 'none' && method !== 'POST');
      const allowed = [...declared.map(({ method }) => method), ...(isPublic ? ['OPTIONS'] : [])].toSorted();
      expect(response?.ResponseParameters['method.response.header.Allow']).toBe(`'${allowed.join(', ')}'`);
      expect(response?.ResponseTemplates['application/json']).toBe(gatewayProblemTemplate(methodNotAllowed(allowed)));
    }
  });

  test('is a 404 on any other', () => {
    for (const path of ['/', '/{proxy+}', '/api', '/api/v1']) {
      const response = mock(`ANY ${path}`);
      expect(response?.StatusCode, path).toBe('404');
      expect(response?.ResponseTemplates['application/json']).toBe(
        gatewayProblemTemplate(GATEWAY_PROBLEMS.RESOURCE_NOT_FOUND),
      );
      expect(response?.ResponseParameters['method.response.header.Content-Type']).toBe("'application/problem+json'");
    }
  });

  test('has a method on every resource, so that no bearer token is ever read as an AWS signature', () => {
    const paths = resourcesOf(template, 'AWS::ApiGateway::Resource').map(([id]) => pathOf(template, { Ref: id }));
    for (const path of paths) expect(methods.has(`ANY ${path}`), path).toBe(true);
  });
});

test('gateway responses are problem details', () => {
  const responses = new Map(
    resourcesOf(template, 'AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => [
      Properties.ResponseType,
      Properties,
    ]),
  );
  expect([...responses.keys()].toSorted()).toEqual(Object.keys(GATEWAY_PROBLEMS).toSorted());
  for (const response of responses.values()) {
    expect(response.ResponseParameters).toMatchObject({
      'gatewayresponse.header.Content-Type': "'application/problem+json'",
    });
  }
  expect(responses.get('UNAUTHORIZED')).toMatchObject({
    StatusCode: '401',
    ResponseParameters: { 'gatewayresponse.header.WWW-Authenticate': '\'Bearer realm="custodia"\'' },
  });
  expect(responses.get('ACCESS_DENIED')).toMatchObject({
    StatusCode: '401',
    ResponseParameters: { 'gatewayresponse.header.WWW-Authenticate': 'context.authorizer.challenge' },
    ResponseTemplates: { 'application/json': expect.stringContaining('"detail":"$context.authorizer.detail"') },
  });
});

test('bodies reach the functions byte for byte, and answers are compressed from a size on', () => {
  template.hasResourceProperties('AWS::ApiGateway::RestApi', {
    BinaryMediaTypes: ['*/*'],
    MinimumCompressionSize: COMPRESSED_FROM,
    EndpointConfiguration: { Types: ['REGIONAL'] },
  });
});
