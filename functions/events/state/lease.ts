import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type Condition, type Item, retry, updateRequest } from '@custodia/counted-lists';
import type { Tenant } from '#table';
import { tenantKey } from '#table';
import { CLOCKS_DIFFER_MS } from '../../../shared/clock.ts';
import { type DeliveryState, LEASED, stateIn } from './state.ts';

/**
 * A worker leases the state of the endpoint to which it delivers. Its token is the condition of each of its changes, so
 * a worker that was paused for longer than its lease changes nothing any more (`docs/decisions/0201-events.md`).
 *
 *     free ──▶ leased ──▶ released, unless somebody has woken the holder meanwhile: then it looks once more
 *               └─ expired, or longer than any lease can be: another worker may take it
 *
 * The slots of a tenant are leased in the same way (`../deliveries/work.ts`).
 */

/** Longer than a turn with its last call and retries. In milliseconds. */
export const LEASE_MS = 60_000;

/** The longest wait until the next call, which a receiver may ask for. In milliseconds. */
export const LONGEST_WAIT_MS = 60 * 60_000;

/** The clocks of two workers may differ by so much: each by half of it from DynamoDB's. In milliseconds. */
export const WORKERS_DIFFER_MS = 2 * CLOCKS_DIFFER_MS;

/** The time by the clock of DynamoDB, in epoch milliseconds. */
export const timeIn = ({ serverTime }: Tenant): number => serverTime;

/** A change of a state. */
export interface StateChange {
  readonly set?: Partial<DeliveryState>;
  readonly remove?: readonly (keyof DeliveryState)[];
}

export interface Lease {
  /** Or the name of a slot. */
  readonly endpointId: string;
  readonly token: string;
}

interface Taking {
  /** `leased`: another worker has it. `waiting`: the next call is not due. `gone`: there is no state. */
  readonly outcome: 'taken' | 'leased' | 'waiting' | 'gone';
  readonly state: DeliveryState;
}

/**
 * Takes the lease of an endpoint's state.
 * @param isMade whether the item is made where there is none, as a slot is
 */
export async function takeLease(tenant: Tenant, lease: Lease, isMade = false): Promise<Taking> {
  const now = timeIn(tenant);
  const { item, isDone } = await update(tenant, lease, {
    set: { lease: lease.token, lease_until: now + LEASE_MS },
    condition: {
      ...(!isMade && { exists: true }),
      and: [isFree(lease.token, now), isDue('retry_at', now), isDue('replay_at', now)],
    },
  });
  const state = stateIn(item ?? {});
  if (isDone) return { outcome: 'taken', state };
  if (item === undefined) return { outcome: 'gone', state };
  return { outcome: dueAt(state, now) <= now ? 'leased' : 'waiting', state };
}

/** Times that are further away than a lease or a wait may end are of a wrong clock, and keep nobody out. */
const latestLease = (now: number): number => now + LEASE_MS + WORKERS_DIFFER_MS;
const latestWait = (now: number): number => now + LONGEST_WAIT_MS + WORKERS_DIFFER_MS;

const isFree = (token: string, now: number): Condition => ({
  anyOf: [
    { equals: { lease: undefined } },
    { equals: { lease: token } },
    { atMost: { lease_until: now - 1 } },
    { moreThan: { lease_until: latestLease(now) } },
  ],
});

const isDue = (time: 'retry_at' | 'replay_at', now: number): Condition => ({
  anyOf: [{ atMost: { [time]: now } }, { moreThan: { [time]: latestWait(now) } }],
});

/** When the next call may be made, as {@link takeLease} decides, in epoch milliseconds; 0: at once. */
export const dueAt = ({ retry_at = 0, replay_at = 0 }: DeliveryState, now: number): number =>
  Math.max(0, ...[retry_at, replay_at].filter((time) => time <= latestWait(now)));

/** Changes a leased state. @returns the state after it; undefined where the lease is lost */
export async function changeLeased(
  tenant: Tenant,
  lease: Lease,
  change: StateChange,
): Promise<DeliveryState | undefined> {
  const { item, isDone } = await update(tenant, lease, { ...change, condition: isHeldBy(lease) });
  return isDone ? stateIn(item ?? {}) : undefined;
}

/**
 * Changes a leased state, and releases the lease.
 * @param unlessWoken where somebody has woken the holder since this state was read, nothing changes
 * @returns `kept` in that case; `lost` where another worker has the lease
 */
export async function endLease(
  tenant: Tenant,
  lease: Lease,
  { set = {}, remove = [] }: StateChange,
  unlessWoken?: Pick<DeliveryState, 'wakes'>,
): Promise<'ended' | 'kept' | 'lost'> {
  const condition = {
    ...isHeldBy(lease),
    ...(unlessWoken && { and: [{ equals: { wakes: unlessWoken.wakes } }] }),
  };
  const { item, isDone } = await update(tenant, lease, { set, remove: [...remove, ...LEASED], condition });
  if (isDone) return 'ended';
  return item?.lease === lease.token ? 'kept' : 'lost';
}

/**
 * Wakes the holder of a lease: there may be more events. The first who does so under a lease sends a message that
 * arrives when the lease has expired by any worker's clock, because the holder may be gone. The state notes the message
 * after it was sent, so that the next one sends it again where that failed.
 * @param sendAfter sends the message, to be received after so many milliseconds
 * @returns whether there is a lease; @throws what `sendAfter` throws
 */
export async function wake(
  tenant: Tenant,
  endpointId: string,
  sendAfter: (milliseconds: number) => Promise<void>,
): Promise<boolean> {
  const isLeased = { moreThan: { lease_until: 0 } };
  const { item, isDone } = await update(tenant, { endpointId }, { add: { wakes: 1 }, condition: isLeased });
  const { lease: token, lease_until: until = 0, watched } = stateIn(item ?? {});
  if (!isDone || token === undefined) return false;
  if (watched === token) return true;
  await sendAfter(Math.min(Math.max(until - timeIn(tenant), 0), LEASE_MS + WORKERS_DIFFER_MS) + WORKERS_DIFFER_MS);
  await changeLeased(tenant, { endpointId, token }, { set: { watched: token } });
  return true;
}

/** Stages a change of a leased state. The commit throws what `onLost` returns where the lease is lost. */
export const stageLeased = (tenant: Tenant, lease: Lease, change: StateChange, onLost: () => Error): void =>
  tenant.session.changes.of(tenant.id).update(tenantKey(tenant.id, 'DELIVERY', lease.endpointId), {
    ...change,
    condition: isHeldBy(lease),
    onConditionFailed: onLost,
  });

const isHeldBy = ({ token }: Lease): Condition => ({ equals: { lease: token } });

interface Updated {
  /** As changed, or as it did not meet the condition; undefined where there is none. */
  readonly item: Item | undefined;
  readonly isDone: boolean;
}

/** One write unit. Transactions of others on the item make it wait. @throws TableUnavailable */
async function update(
  { id, session }: Tenant,
  { endpointId }: Pick<Lease, 'endpointId'>,
  change: Omit<Parameters<typeof updateRequest>[1], 'key'>,
): Promise<Updated> {
  const table = session.tables.of(id);
  const command = new UpdateCommand({
    ...updateRequest(table.name, { key: tenantKey(id, 'DELIVERY', endpointId), ...change }),
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    const { Attributes: item } = await retry(() => table.client.send(command), session);
    return { item, isDone: true };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { item: error.Item && unmarshall(error.Item), isDone: false };
  }
}
