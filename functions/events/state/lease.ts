import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type Item, retry, serverTime } from '#lists';
import type { Tenant } from '#table';
import { deliveryStateKey } from '#tenancy/keys';
import { CLOCKS_DIFFER_MS } from '../../../shared/clock.ts';
import { type DeliveryState, LEASED, stateIn } from './state.ts';

/**
 * Who delivers to an endpoint leases its state: one worker at a time, whose token is the condition of each of its
 * changes. A worker that is paused for longer than its lease changes nothing any more, so what it has delivered is
 * delivered again (`docs/decisions/0201-events.md`).
 *
 *     free ──▶ leased ──▶ free again, if nobody has woken its holder meanwhile; else that looks once more
 *               └─ its end has come, or is further away than any lease's: another worker may take it
 *
 * A tenant's slots are leased in the same way (`functions/events/deliveries/slots.ts`).
 */

/** Longer than a turn with its last call and retries. In milliseconds. */
export const LEASE_MS = 60_000;

/** Longest time until the next call of an endpoint that fails, which it may ask for. In milliseconds. */
export const LONGEST_WAIT_MS = 60 * 60_000;

/** How far the times of two workers may be apart: each may be so far from DynamoDB's as clocks may. In milliseconds. */
export const WORKERS_DIFFER_MS = 2 * CLOCKS_DIFFER_MS;

/** The time of {@link Tenant}'s session by the clock of DynamoDB, in epoch milliseconds. */
export const timeIn = ({ id, session }: Tenant): number => serverTime(session.tables.of(id), session.clock);

/** A change of a state. */
export interface StateChange {
  readonly set?: Partial<DeliveryState>;
  readonly remove?: readonly (keyof DeliveryState)[];
}

/** A leased state. */
export interface Lease {
  /** Or the name of a slot. */
  readonly endpointId: string;
  readonly token: string;
}

/**
 * Takes the lease of an endpoint's state. Times beyond {@link LEASE_MS} and {@link LONGEST_WAIT_MS} are of a wrong
 * clock, and keep nobody out.
 * @param isMade whether it is made where there is none, as a slot is
 */
export async function takeLease(tenant: Tenant, lease: Lease, isMade = false): Promise<Taking> {
  const now = timeIn(tenant);
  const { item, isDone } = await update(tenant, lease, {
    UpdateExpression: 'SET #lease = :token, #until = :until',
    ConditionExpression: `${isMade ? '' : 'attribute_exists(PK) AND '}(${FREE}) AND (${DUE})`,
    ExpressionAttributeNames: {
      ...{ '#lease': 'lease', '#until': 'lease_until' },
      ...{ '#retry': 'retry_at', '#replay': 'replay_at' },
    },
    ExpressionAttributeValues: {
      ':token': lease.token,
      ':until': now + LEASE_MS,
      ':now': now,
      ':longestLease': now + LEASE_MS + WORKERS_DIFFER_MS,
      ':longestWait': now + LONGEST_WAIT_MS + WORKERS_DIFFER_MS,
    },
  });
  const state = stateIn(item ?? {});
  if (isDone) return { outcome: 'taken', state };
  if (item === undefined) return { outcome: 'gone', state };
  return { outcome: dueAt(state, now) <= now ? 'leased' : 'waiting', state };
}

interface Taking {
  /** Why it was not taken: another worker has it; calls fail, and the next is not due; there is no state. */
  readonly outcome: 'taken' | 'leased' | 'waiting' | 'gone';
  readonly state: DeliveryState;
}

const FREE = 'attribute_not_exists(#lease) OR #lease = :token OR #until < :now OR #until > :longestLease';
const DUE = ['#retry', '#replay']
  .map((time) => `(attribute_not_exists(${time}) OR ${time} <= :now OR ${time} > :longestWait)`)
  .join(' AND ');

/**
 * When the next call may be made, as {@link takeLease} decides: now or before, or the latest time that is believed. In
 * epoch milliseconds.
 */
export const dueAt = ({ retry_at = 0, replay_at = 0 }: DeliveryState, now: number): number =>
  Math.max(0, ...[retry_at, replay_at].filter((time) => time <= now + LONGEST_WAIT_MS + WORKERS_DIFFER_MS));

/** Changes a leased state. @returns the state after it; undefined where the lease is lost */
export async function changeLeased(
  tenant: Tenant,
  lease: Lease,
  change: StateChange,
): Promise<DeliveryState | undefined> {
  const { item, isDone } = await update(tenant, lease, expressionOf(change, lease.token));
  return isDone ? stateIn(item ?? {}) : undefined;
}

/**
 * Changes a leased state, and releases the lease.
 * @param unlessWoken where somebody has woken its holder since this state was read, nothing changes, and the lease
 *   stays
 * @returns `kept` in that case; `lost` where another worker has the lease
 */
export async function endLease(
  tenant: Tenant,
  lease: Lease,
  change: StateChange,
  unlessWoken?: Pick<DeliveryState, 'rings'>,
): Promise<'ended' | 'kept' | 'lost'> {
  const { set, remove = [] } = change;
  const input = expressionOf({ ...(set && { set }), remove: [...remove, ...LEASED] }, lease.token);
  const { item, isDone } = await update(
    tenant,
    lease,
    unlessWoken === undefined ? input : ifNotWoken(input, unlessWoken),
  );
  if (isDone) return 'ended';
  return item?.lease === lease.token ? 'kept' : 'lost';
}

/**
 * Wakes the holder of a lease: there may be more events. The first who does so under a lease sends a message that comes
 * when it has ended by any worker's clock, because the holder may be gone. Only then others need not: a message that
 * was not sent is sent by the next one.
 * @param sendAfter sends the message, to be received after so many milliseconds
 * @returns whether there is a lease; @throws what `sendAfter` throws
 */
export async function wake(
  tenant: Tenant,
  endpointId: string,
  sendAfter: (milliseconds: number) => Promise<void>,
): Promise<boolean> {
  const { item, isDone } = await update(
    tenant,
    { endpointId },
    {
      UpdateExpression: 'ADD rings :one',
      ConditionExpression: 'attribute_exists(#lease)',
      ExpressionAttributeNames: { '#lease': 'lease' },
      ExpressionAttributeValues: { ':one': 1 },
    },
  );
  const { lease: token, lease_until: until = 0, watched } = stateIn(item ?? {});
  if (!isDone || token === undefined) return false;
  if (watched === token) return true;
  await sendAfter(Math.min(Math.max(until - timeIn(tenant), 0), LEASE_MS + WORKERS_DIFFER_MS) + WORKERS_DIFFER_MS);
  await changeLeased(tenant, { endpointId, token }, { set: { watched: token } });
  return true;
}

/** Stages a change of a leased state. The commit throws what `lost` returns where the lease is lost. */
export function stageLeased(
  tenant: Tenant,
  lease: Lease,
  { set = {}, remove = [] }: StateChange,
  lost: () => Error,
): void {
  tenant.session.changes.of(tenant.id).update(deliveryStateKey(tenant.id, lease.endpointId), {
    set,
    remove,
    condition: { equals: { lease: lease.token } },
    onConditionFailed: lost,
  });
}

type Expressions = Pick<
  UpdateCommandInput,
  'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>;

function expressionOf({ set = {}, remove = [] }: StateChange, token: string): Expressions {
  const fields = Object.entries(set).filter(([, value]) => value !== undefined);
  const removed = remove.filter((name) => !(name in set));
  const parts = [
    ...(fields.length === 0 ? [] : [`SET ${fields.map(([name]) => `#${name} = :${name}`).join(', ')}`]),
    ...(removed.length === 0 ? [] : [`REMOVE ${removed.map((name) => `#${name}`).join(', ')}`]),
  ];
  const names = new Set(['lease', ...fields.map(([name]) => name), ...removed]);
  return {
    UpdateExpression: parts.join(' '),
    ConditionExpression: '#lease = :token',
    ExpressionAttributeNames: Object.fromEntries(Array.from(names, (name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ':token': token,
      ...Object.fromEntries(fields.map(([name, value]) => [`:${name}`, value])),
    },
  };
}

const ifNotWoken = (input: Expressions, { rings }: Pick<DeliveryState, 'rings'>): Expressions => ({
  ...input,
  ConditionExpression: `${input.ConditionExpression} AND ${rings === undefined ? 'attribute_not_exists(#rings)' : '#rings = :rings'}`,
  ExpressionAttributeNames: { ...input.ExpressionAttributeNames, '#rings': 'rings' },
  ExpressionAttributeValues: { ...input.ExpressionAttributeValues, ...(rings !== undefined && { ':rings': rings }) },
});

interface Updated {
  /** As changed, or as it did not meet the condition; undefined where there is none. */
  readonly item: Item | undefined;
  readonly isDone: boolean;
}

/** One write unit. Transactions of others on the item make it wait. @throws TableUnavailable */
async function update(
  { id, session }: Tenant,
  { endpointId }: Pick<Lease, 'endpointId'>,
  input: Expressions,
): Promise<Updated> {
  const table = session.tables.of(id);
  const command = new UpdateCommand({
    TableName: table.name,
    Key: { ...deliveryStateKey(id, endpointId) },
    ReturnValues: 'ALL_NEW',
    ...input,
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
