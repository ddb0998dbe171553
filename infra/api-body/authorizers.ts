import type { Contract, Route } from '#contract';
import { AUTHORIZER } from '../rights.ts';
import type { Settings } from '../settings.ts';
import type { Security } from './operation.ts';

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
