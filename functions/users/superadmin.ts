import type { Caller } from '../../shared/auth/caller.ts';
import { Problem } from '../../shared/contract/problem.ts';

/**
 * Only platform callers decide who is a superadmin: a tenant must not be able to raise its own people above itself.
 * @throws Problem `forbidden`
 */
export function checkSuperadmin(caller: Caller, before: boolean, after: boolean | undefined): void {
  if (caller.orgId === null || after === undefined || after === before) return;
  throw new Problem('forbidden', {
    detail: 'Only a platform caller may change who is a superadmin.',
    errors: [{ in: 'body', pointer: '#/is_superadmin', detail: 'may be changed by a platform caller only' }],
  });
}
