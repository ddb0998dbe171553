import { Problem, pointer } from '#contract';
import { type Caller, mayDo, type Permissions } from '#identity';

/**
 * Which permissions a caller may grant. No escalation (`docs/decisions/0070`): a caller grants only permissions that it
 * has itself, and does not change an integration, a role, a membership or a user that has more.
 */

/**
 * Checks the permissions that a caller wants to grant.
 * @throws Problem `forbidden` that names those that the caller does not have
 */
export function checkGrant(caller: Caller, permissions: Permissions): void {
  const missing = beyond(caller, permissions);
  if (missing === undefined) return;
  throw new Problem('forbidden', {
    detail: `The caller may not give what it does not have: ${inWords(missing)}.`,
    errors:
      permissions === null
        ? [
            {
              in: 'body',
              pointer: '#/permissions',
              detail: 'must not be null: the caller does not have all permissions',
            },
          ]
        : missing.map((code) => ({
            in: 'body',
            pointer: pointer(['permissions', permissions.indexOf(code)]),
            detail: `${code} is not a permission of the caller`,
          })),
  });
}

/**
 * Checks that a caller has all permissions of what it wants to change or give.
 * @param what it is: `role`
 * @param pointer to the field of the body that names it
 * @throws Problem `forbidden` that names what the caller lacks
 */
export function checkReach(
  caller: Caller,
  { permissions }: { readonly permissions: Permissions },
  what = 'integration',
  pointer?: string,
): void {
  const missing = beyond(caller, permissions);
  if (missing === undefined) return;
  const detail = `has permissions that the caller does not have: ${inWords(missing)}`;
  throw new Problem('forbidden', {
    detail: `The ${what} ${detail}.`,
    ...(pointer === undefined ? {} : { errors: [{ in: 'body', pointer, detail: `names a ${what} that ${detail}` }] }),
  });
}

/** The permissions that the caller lacks; undefined when it has all; empty when it would need all (null). */
function beyond(caller: Caller, permissions: Permissions): readonly string[] | undefined {
  if (caller.permissions === null) return undefined;
  if (permissions === null) return [];
  const missing = permissions.filter((code) => !mayDo(caller, code));
  return missing.length > 0 ? missing : undefined;
}

const inWords = (missing: readonly string[]): string => (missing.length === 0 ? 'all permissions' : missing.join(', '));
