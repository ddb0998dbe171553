import { describe, expect, test } from 'vitest';
import { COMPRESSED_FROM, GATEWAY_PROBLEMS, gatewayResponse, methodsOf } from '#contract';
import { contracts } from '../../functions/all-contracts.ts';
import { gatewayResponses } from '../../infra/api-body/body.ts';
import { methodNotAllowed } from '../../shared/contract/gateway-problems.ts';
import { authorizerOf, bodyWith, invocationUri, operationsIn } from './api-body.ts';

/** The document that API Gateway imports agrees with the contracts. */

const routes = contracts.flatMap(({ name, routes }) =>
  Object.values(routes).flatMap((route) =>
    methodsOf(route).map((method) => ({ ...route, method, key: `${method} ${route.path}`, served: name })),
  ),
);

const body = bodyWith();
const operations = operationsIn(body);
const integrationOf = (key: string) => operations.get(key)?.['x-amazon-apigateway-integration'];

const AUTHORIZER = { type: 'request', authorizerUri: invocationUri('authorizer') };
const BEARER = { ...AUTHORIZER, identitySource: 'method.request.header.Authorization' };

describe('routes', () => {
  test('are those of the contracts, and HEAD where there is GET, no more and no less', () => {
    expect(routes.filter(({ key }) => key.startsWith('HEAD ')).length).toBeGreaterThan(30);
    const declared = [...operations.keys()].filter((key) => !key.startsWith('ANY '));
    expect(declared.toSorted()).toEqual(routes.map(({ key }) => key).toSorted());
  });

  test('go to the function of their contract', () => {
    for (const { key, served } of routes)
      expect(integrationOf(key), key).toEqual({ type: 'aws_proxy', httpMethod: 'POST', uri: invocationUri(served) });
  });

  test('are authorized as they declare', () => {
    for (const { key, auth, verifiesCaller } of routes) {
      const operation = operations.get(key);
      const isAuthorized = auth.startsWith('bearer') && !verifiesCaller;
      expect(authorizerOf(body, operation) !== undefined, key).toBe(isAuthorized);
      expect(operation?.['x-amazon-apigateway-auth'], key).toEqual(isAuthorized ? undefined : { type: 'NONE' });
    }
  });

  test('keep a response of the authorizer for a minute at most, by the header that it depends on', () => {
    const schemes = Object.values(body.components.securitySchemes);
    expect(schemes).toHaveLength(1);
    for (const { name, 'x-amazon-apigateway-authorizer': authorizer } of schemes) {
      expect(name).toBe('Authorization');
      expect(authorizer).toEqual({ ...BEARER, authorizerResultTtlInSeconds: 60 });
    }
  });

  test('have one name for the variable at a place of their paths: API Gateway refuses two', () => {
    const variables = Object.keys(body.paths).flatMap((path) =>
      Array.from(path.matchAll(/\{[\w+]+\}/g), ({ 0: name, index }) => [path.slice(0, index), name] as const),
    );
    for (const [place, named] of Map.groupBy(variables, ([place]) => place))
      expect(new Set(named.map(([, name]) => name)).size, place).toBe(1);
  });
});

test('a stage that allows a first key asks about such routes without a token, and never from a cache', () => {
  const open = bodyWith({ firstKey: 'true' });
  const opened = operationsIn(open);
  for (const { key, auth } of routes.filter((route) => route.auth.startsWith('bearer') && !route.verifiesCaller)) {
    expect(authorizerOf(open, opened.get(key)), key).toEqual(
      auth === 'bearer-optional'
        ? { ...AUTHORIZER, authorizerResultTtlInSeconds: 0 }
        : { ...BEARER, authorizerResultTtlInSeconds: 60 },
    );
  }
});

test('a stage that keeps no response of the authorizer has every request checked, and still wants the header', () => {
  const careful = bodyWith({ authorizerCacheSeconds: '0' });
  for (const { 'x-amazon-apigateway-authorizer': authorizer } of Object.values(careful.components.securitySchemes))
    expect(authorizer).toEqual({ ...BEARER, authorizerResultTtlInSeconds: 0 });
});

describe('what is not declared', () => {
  const mock = (key: string) => {
    const integration = integrationOf(key);
    expect(operations.get(key)?.['x-amazon-apigateway-auth'], key).toEqual({ type: 'NONE' });
    expect(integration?.type, key).toBe('mock');
    return integration?.responses?.default;
  };

  test('is a 405 with Allow on a declared path', () => {
    const byPath = Map.groupBy(routes, ({ path }) => path);
    expect(byPath.size).toBeGreaterThan(0);
    for (const [path, declared] of byPath) {
      const response = mock(`ANY ${path}`);
      expect(response?.statusCode).toBe('405');
      const isPublic = declared.every(({ auth, method }) => auth === 'none' && method !== 'POST');
      const allowed = [...declared.map(({ method }) => method), ...(isPublic ? ['OPTIONS'] : [])].toSorted();
      expect(response?.responseParameters['method.response.header.Allow']).toBe(`'${allowed.join(', ')}'`);
      expect(response?.responseTemplates?.['application/json']).toBe(
        gatewayResponse(methodNotAllowed(allowed), []).template,
      );
    }
  });

  test('is a 404 on any other', () => {
    for (const path of ['/', '/docs', '/{proxy+}', '/api', '/api/v1']) {
      const response = mock(`ANY ${path}`);
      expect(response?.statusCode, path).toBe('404');
      expect(response?.responseTemplates?.['application/json']).toBe(
        gatewayResponse(GATEWAY_PROBLEMS.RESOURCE_NOT_FOUND, []).template,
      );
      expect(response?.responseParameters['method.response.header.Content-Type']).toBe("'application/problem+json'");
    }
  });

  test('leads from the entrances to the documentation, at the address of a stage and at a domain', () => {
    for (const [key, operation] of operations) {
      const { responses = {}, requestTemplates = {} } = operation['x-amazon-apigateway-integration'];
      expect('302' in responses, key).toBe(['ANY /', 'ANY /docs', 'ANY /api', 'ANY /api/v1'].includes(key));
      if (!('302' in responses)) continue;
      expect(requestTemplates['application/json']).toBe(
        '{"statusCode":#if($context.httpMethod=="GET"||$context.httpMethod=="HEAD")302#{else}404#end}',
      );
      expect(responses['302']).toMatchObject({
        statusCode: '302',
        responseParameters: {
          'method.response.header.Location': "'/api/v1/docs'",
          'method.response.header.Content-Type': "'application/json'",
        },
        responseTemplates: {
          'application/json':
            '#if($context.domainPrefix == $context.apiId)#set($context.responseOverride.header.Location = "/$context.stage/api/v1/docs")' +
            '{"documentation":"/$context.stage/api/v1/docs","openapi":"/$context.stage/api/v1/openapi"}' +
            '#else{"documentation":"/api/v1/docs","openapi":"/api/v1/openapi"}#end',
        },
      });
      expect(operation.responses['302']?.headers).toHaveProperty('Location');
    }
  });

  test('has a method on every path and on those above it, so that no bearer token is ever read as an AWS signature', () => {
    for (const path of Object.keys(body.paths)) {
      expect(operations.has(`ANY ${path}`), path).toBe(true);
      const above = path.slice(0, path.lastIndexOf('/')) || '/';
      expect(body.paths, path).toHaveProperty([above]);
    }
  });

  test('gets its response whatever media type clients send, and brings its bytes as a text', () => {
    for (const [key, { 'x-amazon-apigateway-integration': integration }] of operations) {
      if (!key.startsWith('ANY ')) continue;
      expect(integration, key).toMatchObject({ contentHandling: 'CONVERT_TO_TEXT', passthroughBehavior: 'never' });
      const templates = Object.values(integration.requestTemplates ?? {});
      expect([templates.length, new Set(templates).size], key).toEqual([11, 1]);
    }
  });
});

test('gateway responses are problem details', () => {
  const responses = body['x-amazon-apigateway-gateway-responses'];
  expect(Object.keys(responses).toSorted()).toEqual(Object.keys(GATEWAY_PROBLEMS).toSorted());
  for (const response of Object.values(responses)) {
    expect(response.responseParameters).toMatchObject({
      'gatewayresponse.header.Content-Type': "'application/problem+json'",
    });
  }
  expect(responses.UNAUTHORIZED).toMatchObject({
    statusCode: '401',
    responseParameters: { 'gatewayresponse.header.WWW-Authenticate': '\'Bearer realm="custodia"\'' },
  });
  expect(responses.ACCESS_DENIED).toMatchObject({
    statusCode: '401',
    responseParameters: { 'gatewayresponse.header.WWW-Authenticate': 'context.authorizer.challenge' },
    responseTemplates: { 'application/json': expect.stringContaining('"detail":"$context.authorizer.detail"') },
  });
  expect(responses.DEFAULT_4XX).not.toHaveProperty('statusCode');
});

test('a request without a token is led to the metadata where the address is known beforehand', () => {
  const challenges = Object.values(gatewayResponses({ corsOrigins: [], domainName: 'api.example.com' })).map(
    ({ responseParameters }) => responseParameters['gatewayresponse.header.WWW-Authenticate'],
  );
  const metadata = 'https://api.example.com/.well-known/oauth-protected-resource';
  const challenge = `'Bearer realm="custodia", resource_metadata="${metadata}"'`;
  expect(challenges.filter((each) => each !== undefined)).toEqual(['context.authorizer.challenge', challenge]);
});

test('bodies reach the functions byte for byte, and responses are compressed from a size on', () => {
  expect(body['x-amazon-apigateway-binary-media-types']).toEqual(['*/*']);
  expect(body['x-amazon-apigateway-minimum-compression-size']).toBe(COMPRESSED_FROM);
});
