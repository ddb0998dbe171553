import { Problem } from '#contract/problem';
import type { Caller } from '#identity';

/**
 * Only platform callers create system roles: a tenant must not present its own roles as the service's.
 * @throws Problem `forbidden`
 */
export function checkSystemRole(caller: Caller, isSystem: boolean): void {
  if (caller.orgId === null || !isSystem) return;
  throw new Problem('forbidden', {
    detail: 'Only a platform caller may make a system role.',
    errors: [{ in: 'body', pointer: '#/is_system', detail: 'may be set by a platform caller only' }],
  });
}
