import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, readPartition } from '@custodia/counted-lists';
import { StaleRead, type Tenant, tenantKey } from '#table';
import type { Position } from '../cursor.ts';

/**
 * How far events are delivered to an endpoint, and which worker delivers them. An item apart from the endpoint's
 * record, so that a delivery changes no version. Times are in epoch milliseconds by DynamoDB's clock as the writer knew
 * it; those that only people read are texts.
 */
export interface DeliveryState {
  /** The cursor: the number of the first event in the journal that is not delivered yet. */
  readonly next: number;
  /** That of the journal when `next` was set. */
  readonly generation: string;
  /** The token of the worker that has the lease. */
  readonly lease?: string;
  readonly lease_until?: number;
  /** How often somebody has woken a holder of the lease: there may be more events than it has read. */
  readonly wakes?: number;
  /** The lease for whose end a message is on its way, in case its holder is gone. */
  readonly watched?: string;
  /** Since when calls fail, as a timestamp. */
  readonly failing_since?: string;
  /** For how long calls have failed, as far as there were any; the last failure; how many in a row. */
  readonly failing_for?: number;
  readonly failed_at?: number;
  readonly failures?: number;
  /** How often the receiver has refused the event `next` by itself. */
  readonly refusals?: number;
  /** No call before. */
  readonly retry_at?: number;
  /** When the endpoint's share of the delivery budget is whole again. */
  readonly spent_until?: number;
  /** When the last replay that had to wait begins: no call before, whoever activates the endpoint. */
  readonly replay_at?: number;
  /** Events before this number are sent one by one. */
  readonly singly_until?: number;
  /** As a timestamp. */
  readonly last_success_at?: string;
}

/** What the state of an endpoint has while calls fail. */
export const FAILING = ['failing_since', 'failing_for', 'failed_at', 'failures', 'refusals', 'retry_at'] as const;
export const LEASED = ['lease', 'lease_until'] as const;

/** Stages the state of a new endpoint. */
export function stageState(tenant: Tenant, endpointId: string, { next, generation }: Position): void {
  const item = { ...tenantKey(tenant.id, 'DELIVERY', endpointId), next, generation };
  changesOf(tenant).put(item, () => new StaleRead('the state of deliveries exists'));
}

/**
 * Stages that events are delivered from another place on. A worker that has the lease loses it. What has failed stays,
 * so the next call is no sooner than it was.
 * @param begins in epoch milliseconds; undefined: at once, or as before
 */
export function stageReplay(tenant: Tenant, endpointId: string, { next, generation }: Position, begins?: number): void {
  const set = { next, generation, ...(begins !== undefined && { replay_at: begins }) };
  const remove = [...LEASED, 'refusals', 'singly_until'];
  changesOf(tenant).update(tenantKey(tenant.id, 'DELIVERY', endpointId), { set, remove });
}

/** Stages that an endpoint is called at once, whatever has failed before: it is activated, or has another address. */
export function stageFreshStart(tenant: Tenant, endpointId: string): void {
  changesOf(tenant).update(tenantKey(tenant.id, 'DELIVERY', endpointId), {
    remove: [...LEASED, ...FAILING],
    condition: { exists: true },
    onConditionFailed: () => new StaleRead('the state of deliveries is gone'),
  });
}

/** Stages the end of an endpoint's state. */
export const stageStateEnd = (tenant: Tenant, endpointId: string): void =>
  changesOf(tenant).delete(
    tenantKey(tenant.id, 'DELIVERY', endpointId),
    {},
    () => new StaleRead('the state of deliveries'),
  );

/** The states of these endpoints, by their ids. Strongly consistent: one read for one, one query for several. */
export async function readStates(tenant: Tenant, ids: readonly string[]): Promise<ReadonlyMap<string, DeliveryState>> {
  const states = new Map<string, DeliveryState>();
  for await (const item of itemsOf(tenant, ids))
    if (ids.includes(String(item.SK))) states.set(String(item.SK), stateIn(item));
  return states;
}

async function* itemsOf({ id, session }: Tenant, [first, ...others]: readonly string[]): AsyncGenerator<Item> {
  if (first === undefined) return;
  const table = session.tables.of(id);
  const key = tenantKey(id, 'DELIVERY', first);
  if (others.length > 0) return yield* readPartition({ table, clock: session.clock }, key.PK);
  const { Item: item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { ...key }, ConsistentRead: true }),
  );
  if (item !== undefined) yield item;
}

export const stateIn = ({ PK: _, SK: __, ...state }: Item): DeliveryState => state as unknown as DeliveryState;

const changesOf = ({ id, session }: Tenant) => session.changes.of(id);
