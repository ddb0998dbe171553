import type * as z from 'zod';
import { issueToken, TOKEN_TIMES } from '#auth';
import { Problem } from '#contract';
import type { OpenInput } from '#http';
import { includeAll, type Permissions } from '#identity';
import { codes } from '../access/codes.static.ts';
import { authenticate } from './authenticate.ts';
import { clientOf } from './client.ts';
import type { accessTokenResponse, tokenRequest } from './contract.ts';

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

/** Named where it is not everything that the client has (RFC 6749 §5.1). */
const scopeOf = ({ scope }: { readonly scope: Permissions }) => (scope === null ? {} : { scope: scope.join(' ') });

const GRANTS: Readonly<Record<string, Grant>> = { client_credentials: clientCredentials };

/** @throws Problem with the OAuth error `unsupported_grant_type` */
export function grantOf(type: string): Grant {
  const grant = Object.hasOwn(GRANTS, type) ? GRANTS[type] : undefined;
  if (grant !== undefined) return grant;
  const detail = `grant_type must be one of: ${Object.keys(GRANTS).join(', ')}.`;
  throw new Problem('invalid-body', { detail, oauthError: 'unsupported_grant_type' });
}

const known: ReadonlySet<string> = new Set(codes);

/**
 * The permissions of a requested scope (RFC 6749 §3.3): codes with spaces between them, each of which is held. Null: no
 * scope is requested.
 * @throws Problem with the OAuth error `invalid_scope`
 */
function narrowTo(requested: string | undefined, held: Permissions): Permissions {
  const scope = [...new Set(requested?.split(' ').filter((code) => code !== ''))].sort();
  const refused = scope.filter((code) => !known.has(code) || !includeAll(held, [code]));
  if (refused.length > 0) {
    const detail = `scope has what is no permission of this client: ${refused.join(' ')}`;
    throw new Problem('invalid-body', { detail, oauthError: 'invalid_scope' });
  }
  return scope.length === 0 ? null : scope;
}
