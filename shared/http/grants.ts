import { Problem, pointer } from '#contract';
import { type Caller, mayDo, type Permissions } from '#identity';

/**
 * Which permissions a caller may grant to an integration. No escalation (`docs/decisions/0070`): a caller grants only
 * permissions that it has itself, and does not change an integration that has more.
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
 * Checks that a caller has all permissions of an integration that it wants to change.
 * @throws Problem `forbidden` that names what the caller lacks
 */
export function checkReach(caller: Caller, integration: { readonly permissions: Permissions }): void {
  const missing = beyond(caller, integration.permissions);
  if (missing === undefined) return;
  throw new Problem('forbidden', {
    detail: `The integration has permissions that the caller does not have: ${inWords(missing)}.`,
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
