import type { Contract, Route } from '#contract';
import { AUTHORIZER } from '../rights.ts';
import type { Settings } from '../settings.ts';

/** The parts of OpenAPI and of AWS's extensions that the body of the API uses. */

/** By `get`, `head` …, or `x-amazon-apigateway-any-method` for all other methods. */
export type PathItem = Readonly<Record<string, ApiOperation>>;

export interface ApiOperation extends Security {
  readonly responses: Readonly<Record<string, { readonly description: string; readonly headers: Headers }>>;
  readonly 'x-amazon-apigateway-integration': FunctionIntegration | MockIntegration;
}

type Headers = Readonly<Record<string, { readonly schema: { readonly type: 'string' } }>>;

/** An operation names its authorizer, or the reason why it has none. */
export interface Security {
  readonly security?: readonly Readonly<Record<string, readonly never[]>>[];
  readonly 'x-amazon-apigateway-auth'?: { readonly type: 'NONE' };
  /** Why it has no authorizer. */
  readonly description?: string;
}

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions-integration.html */
interface FunctionIntegration {
  readonly type: 'aws_proxy';
  readonly httpMethod: 'POST';
  readonly uri: string;
}

interface MockIntegration {
  readonly type: 'mock';
  readonly contentHandling: 'CONVERT_TO_TEXT';
  readonly passthroughBehavior: 'never';
  /** By media type. */
  readonly requestTemplates: Readonly<Record<string, string>>;
  /** By the status of the mock, or `default`. */
  readonly responses: Readonly<Record<string, MockResponse>>;
}

interface MockResponse {
  readonly statusCode: string;
  readonly contentHandling: 'CONVERT_TO_TEXT';
  readonly responseParameters: Readonly<Record<string, string>>;
  readonly responseTemplates?: Readonly<Record<string, string>>;
}

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

/** The authorizer of a route, or why it has none. */
export function securityOf(auth: Route['auth'], { firstKey }: Pick<AuthorizerSettings, 'firstKey'>): Security {
  if (auth === 'none' || auth === 'signature') return withoutAuthorizer(OPEN[auth]);
  return { security: [{ [auth === 'bearer-optional' && firstKey ? OPTIONAL : BEARER]: [] }] };
}

/** @param reason for readers of the API in AWS's console or in the template, and for `test/infra/nag.stack.test.ts` */
export const withoutAuthorizer = (reason: string): Security => ({
  description: reason,
  'x-amazon-apigateway-auth': { type: 'NONE' },
});

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
