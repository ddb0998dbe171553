import {
  COMPRESSED_FROM,
  type Contract,
  entranceOf,
  GATEWAY_PROBLEMS,
  gatewayResponse,
  methodsOf,
  type Route,
} from '#contract';
import { AUTHORIZER } from '../rights.ts';
import type { Settings } from '../settings.ts';
import { type Security, undeclaredMethods, withoutAuthorizer } from './undeclared.ts';

/**
 * The API as API Gateway imports it: one OpenAPI document with AWS's extensions, made from the contracts. It is not the
 * document that callers read (`functions/docs/openapi/`): it contains only what the gateway acts on
 * (`docs/decisions/0162-stacks.md`).
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions.html
 */

type Leading = Parameters<typeof undeclaredMethods>[2];

interface ApiBodyProps {
  /** Name of the API, also in the dimension `ApiName` of its metrics. */
  readonly name: string;
  readonly contracts: readonly Contract[];
  readonly settings: AuthorizerSettings & AddressSettings;
  /** The URI by which API Gateway invokes a function, by the function's name. */
  readonly invocationUri: (functionName: string) => string;
}

export const apiBody = ({ name, contracts, settings, invocationUri }: ApiBodyProps) => ({
  openapi: '3.0.1',
  // A version of its own would make every release deploy the API again.
  info: { title: name, version: '1' },
  paths: pathItems(contracts, settings, invocationUri),
  components: { securitySchemes: authorizersOf(contracts, settings, invocationUri) },
  'x-amazon-apigateway-gateway-responses': gatewayResponses(settings),
  // Bodies reach functions byte for byte, which a webhook's HMAC needs: otherwise the gateway decodes them as UTF-8.
  'x-amazon-apigateway-binary-media-types': ['*/*'],
  'x-amazon-apigateway-minimum-compression-size': COMPRESSED_FROM,
});

type AddressSettings = Pick<Settings, 'corsOrigins' | 'domainName'>;

/** A route, and the URI of the function that serves it. */
interface Served {
  readonly route: Route;
  readonly uri: string;
}

/**
 * All declared paths and their parents, with their routes, the entrances, and a catch-all for the rest. Each path also
 * responds to undeclared methods.
 */
function pathItems(
  contracts: readonly Contract[],
  settings: ApiBodyProps['settings'],
  invocationUri: ApiBodyProps['invocationUri'],
): Record<string, object> {
  const served = contracts.flatMap(({ name, routes }) =>
    Object.values(routes).map((route): Served => ({ route, uri: invocationUri(name) })),
  );
  const byPath = Map.groupBy(served, ({ route }) => route.path);
  const entrance = entranceOf(contracts);
  const paths = new Set(['/', ...entrance.paths, ...[...byPath.keys()].flatMap(withParents), '/{proxy+}']);
  return Object.fromEntries(
    Array.from(paths, (path) => {
      const leading = entrance.paths.includes(path) ? entrance : undefined;
      return [path, pathItem(byPath.get(path) ?? [], settings, leading)];
    }),
  );
}

/** `/api/v1/clients`: itself, `/api/v1` and `/api`. */
const withParents = (path: string): string[] =>
  path
    .split('/')
    .slice(1)
    .map((_, index, parts) => `/${parts.slice(0, index + 1).join('/')}`);

const pathItem = (served: readonly Served[], settings: ApiBodyProps['settings'], entrance: Leading): object => ({
  ...Object.fromEntries(
    served.flatMap(({ route, uri }) =>
      methodsOf(route).map((method) => [method.toLowerCase(), routeOperation(route, uri, settings)]),
    ),
  ),
  'x-amazon-apigateway-any-method': undeclaredMethods(
    served.map(({ route }) => route),
    settings.corsOrigins,
    entrance,
  ),
});

const routeOperation = (route: Route, uri: string, settings: AuthorizerSettings): object => ({
  ...securityOf(route, settings),
  // The gateway passes on a function's response unchanged, so no response is declared.
  responses: {},
  // https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-integration.html
  'x-amazon-apigateway-integration': { type: 'aws_proxy', httpMethod: 'POST', uri },
});

/**
 * Makes problem details of all responses that API Gateway itself makes.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-gateway-responses.html
 */
export const gatewayResponses = ({ corsOrigins, domainName }: AddressSettings) =>
  Object.fromEntries(
    Object.entries(GATEWAY_PROBLEMS).map(([type, problem]) => {
      const { headers, template } = gatewayResponse(problem, corsOrigins, domainName && `https://${domainName}`);
      return [
        type,
        {
          ...(problem.status === undefined ? {} : { statusCode: String(problem.status) }),
          responseParameters: Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [`gatewayresponse.header.${name}`, value]),
          ),
          responseTemplates: { 'application/json': template },
        },
      ];
    }),
  );

/** Who checks the caller of a route. */

export type AuthorizerSettings = Pick<Settings, 'authorizerCacheSeconds' | 'firstKey'>;

/** Not called where the `Authorization` header is missing; its responses are cached by that header. */
const BEARER = 'Bearer';
/** Called for every request, with or without a token. */
const OPTIONAL = 'Optional';

/** Why the gateway accepts requests to such routes without an authorizer. */
const OPEN = {
  none: 'Public by its contract: the login itself, the OpenAPI document, the documentation and the keys of tokens.',
  signature: 'The function checks the signature of the body, which no authorizer sees.',
} as const satisfies Partial<Record<Route['auth'], string>>;

/** The same of routes that verify their callers. */
const VERIFIED = 'The function checks the token, or app code and secret, which no other route takes.';

/** The authorizer of a route, or why it has none. */
export function securityOf(
  { auth, verifiesCaller }: Pick<Route, 'auth' | 'verifiesCaller'>,
  { firstKey }: Pick<AuthorizerSettings, 'firstKey'>,
): Security {
  if (verifiesCaller) return withoutAuthorizer(VERIFIED);
  if (auth === 'none' || auth === 'signature') return withoutAuthorizer(OPEN[auth]);
  return { security: [{ [auth === 'bearer-optional' && firstKey ? OPTIONAL : BEARER]: [] }] };
}

/**
 * The authorizers that the routes name: the gateway makes each that is declared.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-authorizer.html
 */
export function authorizersOf(
  contracts: readonly Contract[],
  { authorizerCacheSeconds, firstKey }: AuthorizerSettings,
  invocationUri: (functionName: string) => string,
) {
  const authorizerUri = invocationUri(AUTHORIZER);
  const bearer = authorizer('Authorization', {
    authorizerUri,
    identitySource: 'method.request.header.Authorization',
    authorizerResultTtlInSeconds: authorizerCacheSeconds,
  });
  const isOptional = contracts.some(({ routes }) =>
    Object.values(routes).some(({ auth }) => auth === 'bearer-optional'),
  );
  if (!firstKey || !isOptional) return { [BEARER]: bearer };
  // Without an identity source, the name of the scheme, which OpenAPI requires, has no meaning.
  return { [BEARER]: bearer, [OPTIONAL]: authorizer('Unused', { authorizerUri, authorizerResultTtlInSeconds: 0 }) };
}

const authorizer = (
  header: string,
  options: {
    readonly authorizerUri: string;
    readonly identitySource?: string;
    /** For how long a response of the authorizer is cached, in seconds. */
    readonly authorizerResultTtlInSeconds: number;
  },
) => ({
  type: 'apiKey',
  in: 'header',
  name: header,
  'x-amazon-apigateway-authtype': 'custom',
  'x-amazon-apigateway-authorizer': { type: 'request', ...options },
});
