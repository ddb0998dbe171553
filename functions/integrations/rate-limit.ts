import { Problem } from '../../shared/contract/problem.ts';
import type { Caller } from '../../shared/identity/caller.ts';

/** Only platform callers decide how much of the service an integration may take: a tenant must not be able to give itself more. */

/** @throws Problem `forbidden` */
export function checkRateLimit(caller: Caller, before: number | null, after: number | null | undefined): void {
  if (caller.orgId !== null && after !== undefined && after !== before) throw notTheCallers();
}

/**
 * The rate limit of a new integration: what a platform caller asks for; of anybody else, who may ask for nothing, his own.
 * @throws Problem `forbidden`
 */
export function rateLimitOfNew(caller: Caller | undefined, asked: number | null): number | null {
  if (caller?.orgId === null) return asked;
  const own = caller?.rateLimit ?? null;
  if (asked !== null && asked !== own) throw notTheCallers();
  return own;
}

const notTheCallers = (): Problem =>
  new Problem('forbidden', {
    detail: 'Only a platform caller may change a rate limit.',
    errors: [{ in: 'body', pointer: '#/rate_limit', detail: 'may be changed by a platform caller only' }],
  });
