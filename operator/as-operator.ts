import { runToCommit } from '#http';
import { RequestSession, Tenant } from '#table';
import { type Organization, organizationList } from '#tenancy';
import { type Clock, systemClock } from '../shared/clock.ts';

/** Handles to tenants, for commands. */

/** Deadline of all reads and writes of a handle or a change. */
const TIMEOUT_MS = 10_000;

/**
 * How long a request that began earlier may still write: the longest run of a function, plus a margin for eventually
 * consistent reads.
 */
export const UNDER_WAY_MS = 35_000;

/** The id of the platform, beside those of organizations. */
export const PLATFORM = 'PLATFORM';

/**
 * A handle to a tenant with a session of its own.
 * @param id of an organization, or {@link PLATFORM}
 */
export const tenantOf = (id: string, timeoutMs = TIMEOUT_MS, clock: Clock = systemClock): Tenant =>
  Tenant.ofOperator(id, RequestSession.ofEnvironment(timeoutMs, clock));

/** All organizations, the oldest first. */
export async function* organizations(
  session = RequestSession.ofEnvironment(TIMEOUT_MS),
): AsyncGenerator<Organization, void> {
  for await (const { record } of organizationList(Tenant.ofPlatform(session)).all()) yield record;
}

/**
 * Runs a change of a tenant and commits it. It runs again from the start when something that it read has changed
 * meanwhile.
 * @param operation its name in audit events
 * @example
 * await asOperator('suspendOrganization', id, async (tenant) => stageSuspension(tenant, undefined, suspension));
 */
export function asOperator<T>(operation: string, id: string, change: (tenant: Tenant) => Promise<T>): Promise<T> {
  const session = RequestSession.ofEnvironment(TIMEOUT_MS);
  session.audit.origin = { actor: { type: 'operator' }, operation, requestId: null, sourceAddress: null };
  return runToCommit(session, () => change(Tenant.ofOperator(id, session)));
}
