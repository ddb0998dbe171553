import { Problem } from '#contract';
import { includeAll, type Permissions } from '#identity';
import { codes } from '../access/codes.static.ts';

const known: ReadonlySet<string> = new Set(codes);

/**
 * The permissions of a requested scope (RFC 6749 §3.3): codes with spaces between them, each of which is held. Null: no
 * scope is requested.
 * @throws Problem with the OAuth error `invalid_scope`
 */
export function narrowTo(requested: string | undefined, held: Permissions): Permissions {
  const scope = [...new Set(requested?.split(' ').filter((code) => code !== ''))].sort();
  const refused = scope.filter((code) => !known.has(code) || !includeAll(held, [code]));
  if (refused.length > 0) {
    const detail = `scope has what is no permission of this client: ${refused.join(' ')}`;
    throw new Problem('invalid-body', { detail, oauthError: 'invalid_scope' });
  }
  return scope.length === 0 ? null : scope;
}

/** Named where it is not everything that the client has (RFC 6749 §5.1). */
export const scopeOf = ({ scope }: { readonly scope: Permissions }) =>
  scope === null ? {} : { scope: scope.join(' ') };
