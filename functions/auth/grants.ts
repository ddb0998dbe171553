import type * as z from 'zod';
import { issueToken, TOKEN_TIMES } from '#auth';
import { Problem } from '#contract';
import type { OpenInput } from '#http';
import { authenticate } from './authenticate.ts';
import { clientOf } from './client.ts';
import type { accessTokenResponse, tokenRequest } from './contract.ts';
import { exchange } from './exchange.ts';
import { narrowTo, scopeOf } from './scope.ts';

/** Ways to get a token (RFC 6749 §1.3), by `grant_type`. */

interface GrantInput extends Pick<OpenInput, 'session' | 'request'> {
  readonly body: z.output<(typeof tokenRequest)['schema']>;
}

type Grant = (input: GrantInput) => Promise<z.output<(typeof accessTokenResponse)['schema']>>;

/** For the integration itself (RFC 6749 §4.4). */
const clientCredentials: Grant = async ({ body, ...input }) => {
  const found = authenticated(body, input);
  const access_token = await issueToken(found, input.session.now);
  return { access_token, ...LIFETIME, ...scopeOf(await found) };
};

async function authenticated(body: GrantInput['body'], input: Omit<GrantInput, 'body'>) {
  const { permissions, ...identity } = await authenticate(clientOf(body, input.request), input);
  return { ...identity, scope: narrowTo(body.scope, permissions) };
}

const LIFETIME = { token_type: 'bearer', expires_in: TOKEN_TIMES.lifetime } as const;

/** For a user, by a token of an identity provider (RFC 8693). */
const tokenExchange: Grant = async ({ body, session }) => {
  const found = await exchange(body, session);
  const lifetime = Math.min(found.expiresAt - Math.floor(session.now / 1000), LIFETIME.expires_in);
  return {
    access_token: await issueToken(found, session.now),
    ...{ ...LIFETIME, expires_in: lifetime },
    ...scopeOf(found),
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  };
};

const GRANTS: Readonly<Record<string, Grant>> = {
  client_credentials: clientCredentials,
  'urn:ietf:params:oauth:grant-type:token-exchange': tokenExchange,
};

/** @throws Problem with the OAuth error `unsupported_grant_type` */
export function grantOf(type: string): Grant {
  const grant = Object.hasOwn(GRANTS, type) ? GRANTS[type] : undefined;
  if (grant !== undefined) return grant;
  const detail = `grant_type must be one of: ${Object.keys(GRANTS).join(', ')}.`;
  throw new Problem('invalid-body', { detail, oauthError: 'unsupported_grant_type' });
}
