import type { Caller } from '#identity';
import { JournalReader, type Tenant } from '#table';
import { cursorOf } from '../cursor.ts';
import * as leases from '../state/lease.ts';
import { type DeliveryState, readStates } from '../state/state.ts';
import type { Position, StoredEndpoint } from '../store.ts';
import { withVisibleAddress } from '../visible-address.ts';
import type { WebhookEndpoint } from './contract.ts';

const UNKNOWN: Position = {
  delivered_through: null,
  backlog: null,
  failing_since: null,
  last_success_at: null,
  waits_until: null,
};

/**
 * The positions of endpoints, by id. Two round trips for any number of endpoints: their states beside the journal's counter item, then the gaps after
 * the one that is furthest behind.
 */
export async function readPositions(tenant: Tenant, ids: readonly string[]): Promise<ReadonlyMap<string, Position>> {
  const found = await readProgress(tenant, ids);
  return new Map(Array.from(found, ([id, { state, backlog }]) => [id, positionIn(tenant, state, backlog)]));
}

interface Progress {
  readonly state: DeliveryState;
  readonly backlog: number | null;
}

async function readProgress(tenant: Tenant, ids: readonly string[]): Promise<ReadonlyMap<string, Progress>> {
  if (ids.length === 0) return new Map();
  const reading = readStates(tenant, ids);
  const journal = new JournalReader(tenant);
  const { generation, counts } = await journal.countFrom(
    reading.then((states) => [...states.values()].map(({ next }) => next)),
  );
  const states = await reading;
  const backlogOf = (state: DeliveryState) =>
    state.generation === generation ? (counts.get(state.next) ?? null) : null;
  return new Map(Array.from(states, ([id, state]) => [id, { state, backlog: backlogOf(state) }]));
}

/** That of one endpoint. */
export const positionOf = async (tenant: Tenant, id: string): Promise<Position | undefined> =>
  (await readPositions(tenant, [id])).get(id);

/** That of one endpoint, also as it is once the endpoint starts afresh (`stageFreshStart`). */
export async function positionsOf(
  tenant: Tenant,
  id: string,
): Promise<{ readonly present?: Position; readonly afresh?: Position }> {
  const found = (await readProgress(tenant, [id])).get(id);
  if (found === undefined) return {};
  const { state, backlog } = found;
  // Where a replay has to wait, it still does.
  const { failing_since: _, retry_at: __, ...afresh } = state;
  return { present: positionIn(tenant, state, backlog), afresh: positionIn(tenant, afresh, backlog) };
}

/** That of an endpoint that is going to go on in this state. */
export async function positionAt(tenant: Tenant, state: DeliveryState): Promise<Position> {
  const { counts } = await new JournalReader(tenant).countFrom(Promise.resolve([state.next]));
  return positionIn(tenant, state, counts.get(state.next) ?? null);
}

function positionIn(tenant: Tenant, state: DeliveryState, backlog: number | null): Position {
  const now = leases.timeIn(tenant);
  const due = leases.dueAt(state, now);
  return {
    delivered_through: cursorOf(tenant.id, state),
    backlog,
    failing_since: state.failing_since ?? null,
    waits_until: due > now ? new Date(due).toISOString() : null,
    last_success_at: state.last_success_at ?? null,
  };
}

/** That of an endpoint after a change, which leaves an event. */
export const afterChange = (position: Position | undefined): Position | undefined =>
  position && { ...position, backlog: position.backlog === null ? null : position.backlog + 1 };

/** An endpoint as it is returned to those who may change it. */
export const shown = (
  { secrets: _, confirmed: __, challenge: ___, ...endpoint }: StoredEndpoint,
  position: Position = UNKNOWN,
): WebhookEndpoint => ({ ...endpoint, ...position });

/** An endpoint as this caller reads it. */
export const shownTo = (caller: Caller, endpoint: StoredEndpoint, position: Position | undefined): WebhookEndpoint =>
  withVisibleAddress(shown(endpoint, position), caller.permissions && [...caller.permissions]);
