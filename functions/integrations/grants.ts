import { Problem, pointer } from '../../shared/contract/problem.ts';
import type { Permissions } from '../../shared/http/power.ts';
import { type Caller, mayDo } from '../../shared/identity/caller.ts';

/**
 * Who may give which permissions to an integration. A key must not be a way to a stronger key (`docs/decisions/0070`): a caller
 * gives what it has itself and no more, and it changes no integration that has more than itself.
 */

/**
 * Checks what a caller wants an integration to be permitted.
 * @throws Problem `forbidden` that names what the caller does not have itself
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
 * Checks that a caller has all that an integration has, before it changes it: its status, its secret, its permissions.
 * @throws Problem `forbidden` that names what the caller lacks
 */
export function checkReach(caller: Caller, integration: { readonly permissions: Permissions }): void {
  const missing = beyond(caller, integration.permissions);
  if (missing === undefined) return;
  throw new Problem('forbidden', {
    detail: `The integration has permissions that the caller does not have: ${inWords(missing)}.`,
  });
}

/** What of these permissions the caller does not have; undefined when it has all of them. Of "all", the codes are not told apart. */
function beyond(caller: Caller, permissions: Permissions): readonly string[] | undefined {
  if (caller.permissions === null) return undefined;
  if (permissions === null) return [];
  const missing = permissions.filter((code) => !mayDo(caller, code));
  return missing.length > 0 ? missing : undefined;
}

const inWords = (missing: readonly string[]): string => (missing.length === 0 ? 'all permissions' : missing.join(', '));
