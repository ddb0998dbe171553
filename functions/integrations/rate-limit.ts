import { Problem, unauthorized } from '#contract';
import type { Caller } from '#identity';
import type { Tenant } from '#table';
import { requireCredentials } from '#tenancy';

/** Only platform callers may set rate limits: a tenant must not raise its own. */

/** @throws Problem `forbidden` */
export function checkRateLimit(caller: Caller, before: number | null, after: number | null | undefined): void {
  if (caller.orgId !== null && after !== undefined && after !== before) throw platformOnly();
}

/**
 * The rate limit of a new integration: the requested one for a platform caller; for any other caller its own, which is
 * also the only one that it may request.
 * @throws Problem `forbidden`
 */
export function rateLimitOfNew(caller: Caller | undefined, requested: number | null): number | null {
  if (caller?.orgId === null) return requested;
  const own = caller?.rateLimit ?? null;
  if (requested !== null && requested !== own) throw platformOnly();
  return own;
}

const platformOnly = (): Problem =>
  new Problem('forbidden', {
    detail: 'Only a platform caller may change a rate limit.',
    errors: [{ in: 'body', pointer: '#/rate_limit', detail: 'may be changed by a platform caller only' }],
  });

/** Stages the condition that the caller's rate limit is that of its token. Else the commit throws `unauthorized`. */
export function requireRateLimit(tenant: Tenant, caller: Caller): void {
  // A user has no rate limit of its own.
  if (caller.type === 'user') return;
  const own = { rate_limit: caller.rateLimit };
  const expect = caller.rateLimit === null ? { equalsOrAbsent: own } : { equals: own };
  requireCredentials(tenant, caller, expect, () =>
    unauthorized('The rate limit of the integration has changed: log in again.'),
  );
}
