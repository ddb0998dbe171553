import type { Caller } from '../../shared/auth/caller.ts';
import { Problem } from '../../shared/contract/problem.ts';

/**
 * Only platform callers decide how much of the service an integration may take: a tenant must not be able to give itself more.
 * @throws Problem `forbidden`
 */
export function checkRateLimit(
  caller: Caller | undefined,
  before: number | null,
  after: number | null | undefined,
): void {
  if (caller?.orgId === null || after === undefined || after === before) return;
  throw new Problem('forbidden', {
    detail: 'Only a platform caller may change a rate limit.',
    errors: [{ in: 'body', pointer: '#/rate_limit', detail: 'may be changed by a platform caller only' }],
  });
}
