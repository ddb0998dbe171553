import { runToCommit } from '#http';
import type { JournalEvent, Stored, Tenant } from '#table';
import { VERIFIED } from '../endpoints/proof.ts';
import { LONGEST_DURATION } from '../endpoints/records.ts';
import * as leases from '../state/lease.ts';
import { attemptsOf, endpointEntity, type StoredEndpoint } from '../store.ts';
import { type Stop, verdictOf } from './failures.ts';
import type { Outcome } from './ports.ts';

/** Writes of a worker besides the cursor: attempts, and that an endpoint stops. All or nothing. */

/** A call that was made. */
export interface Made {
  readonly events: readonly JournalEvent[];
  readonly outcome: Outcome;
  /** When it began, in epoch milliseconds. */
  readonly at: number;
  /** How long it took, in milliseconds. */
  readonly duration: number;
}

/** What follows from a call that failed. */
export interface Consequence {
  readonly change: leases.StateChange;
  /** Whether the event is given up. */
  readonly skipped?: boolean;
  readonly stop?: Stop | undefined;
}

/**
 * Records a call that failed, with what follows from it.
 * @returns whether it was done: not where another worker has the lease, or the endpoint was deleted
 */
export async function recordFailure(
  tenant: Tenant,
  lease: leases.Lease,
  made: Made,
  { change, skipped = false, stop }: Consequence,
): Promise<boolean> {
  const { endpointId } = lease;
  try {
    await runToCommit(tenant.session, async () => {
      const stored = await tenant.records(endpointEntity).get(endpointId);
      if (stored === undefined) throw new LeaseLost();
      leases.stageLeased(tenant, lease, change, () => new LeaseLost());
      await attemptsOf(tenant, endpointId).create({ fields: { ...attemptOf(made), skipped } });
      if (stop !== undefined && stored.record.status === 'active') await stageStatus(tenant, stored, stop);
    });
    return true;
  } catch (error) {
    if (error instanceof LeaseLost) return false;
    throw error;
  }
}

class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Records what a ping has shown, unless the endpoint is to answer another one by now. */
export async function recordPing(tenant: Tenant, { record }: Stored<StoredEndpoint>, made: Made): Promise<void> {
  await runToCommit(tenant.session, async () => {
    const stored = await tenant.records(endpointEntity).get(record.id);
    if (stored?.record.status !== 'unverified' || stored.record.challenge !== record.challenge) return;
    const reason = failureOfPing(made.outcome);
    if (reason === undefined) return stageStatus(tenant, stored, VERIFIED);
    await attemptsOf(tenant, record.id).create({ fields: { ...attemptOf(made), skipped: false } });
    await stageStatus(tenant, stored, { status: 'unverified', status_reason: reason });
  });
}

/** Why a receiver has proved nothing; undefined where it has. */
function failureOfPing(outcome: Outcome): 'ping_failed' | 'ping_answer_wrong' | undefined {
  if (verdictOf(outcome) !== 'delivered') return 'ping_failed';
  return 'isExpected' in outcome && outcome.isExpected ? undefined : 'ping_answer_wrong';
}

/** Stops an endpoint. @returns whether it was done: not where the endpoint has changed since it was read */
export async function stopUnlessChanged(tenant: Tenant, read: Stored<StoredEndpoint>, stop: Stop): Promise<boolean> {
  return runToCommit(tenant.session, async () => {
    const stored = await tenant.records(endpointEntity).get(read.record.id);
    if (stored?.version !== read.version) return false;
    await stageStatus(tenant, stored, stop);
    return true;
  });
}

async function stageStatus(
  tenant: Tenant,
  stored: Stored<StoredEndpoint>,
  change: Partial<StoredEndpoint>,
): Promise<void> {
  tenant.session.audit.actAs({ type: 'service' }, 'deliverEvents');
  await tenant.records(endpointEntity).update(stored, change);
}

const attemptOf = ({ events, outcome, at, duration }: Made) => ({
  attempted_at: new Date(at).toISOString(),
  status_code: 'status' in outcome ? outcome.status : null,
  error: 'error' in outcome ? outcome.error : null,
  events: events.length,
  first_event_id: events[0]?.id ?? '',
  duration_ms: Math.min(duration, LONGEST_DURATION),
});
