import { Problem } from '#contract/problem';
import type { Tenant } from '#table';
import { readSuspension, type Suspension } from '#tenancy';
import { keepNewest } from '../keep-newest.ts';

/**
 * The suspension check refuses callers of suspended organizations at once, although the gateway caches the authorizer's
 * response: each request reads the suspension of its caller's organization, in parallel to its own work
 * (`docs/decisions/0096-suspending-exporting-erasing.md`).
 */

/** Tenants whose callers this container has refused; the least recently refused is first. */
const refused = new Map<string, true>();
const KEPT = 1_000;

/**
 * Requires that a tenant is not suspended. The platform never is.
 * @throws Problem `organization-suspended`
 */
export async function requireActive(tenant: Tenant): Promise<void> {
  if (tenant.orgId !== null) refuseSuspended(tenant, await readSuspension(tenant));
}

/**
 * The same, for a suspension as read.
 * @throws Problem `organization-suspended`
 */
export function refuseSuspended({ id }: Pick<Tenant, 'id'>, suspension: Suspension | undefined): void {
  if (suspension === undefined) {
    refused.delete(id);
    return;
  }
  keepNewest(refused, id, true, KEPT);
  throw new Problem('organization-suspended', {
    detail: 'The organization is suspended: ask those who operate this service.',
  });
}

/**
 * Whether a request of this tenant should wait for the check before anything else, because this container has recently
 * refused the tenant. So a suspended caller that continues to call causes one read each time, and allocates no numbers
 * of lists.
 */
export const isProbablySuspended = ({ id }: Tenant): boolean => refused.has(id);
