import type { Caller } from '#identity';
import { JournalReader, type Tenant } from '#table';
import { cursorOf } from '../cursor.ts';
import { dueAt, timeIn } from '../state/lease.ts';
import { type DeliveryState, readStates } from '../state/state.ts';
import type { Progress, StoredEndpoint } from '../store.ts';
import { withVisibleAddress } from '../visible.ts';
import type { WebhookEndpoint } from './records.ts';

const UNKNOWN: Progress = {
  delivered_through: null,
  backlog: null,
  failing_since: null,
  last_success_at: null,
  waits_until: null,
};

interface StateWithBacklog {
  readonly state: DeliveryState;
  readonly backlog: number | null;
}

/**
 * Two round trips for any number of endpoints: their states beside the journal's counter item, then the gaps after the
 * cursor that is furthest behind.
 */
async function readStatesWithBacklogs(
  tenant: Tenant,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StateWithBacklog>> {
  if (ids.length === 0) return new Map();
  const reading = readStates(tenant, ids);
  const nexts = reading.then((states) => [...states.values()].map(({ next }) => next));
  const { generation, counts } = await new JournalReader(tenant).countFrom(nexts);
  const states = await reading;
  const backlogOf = (state: DeliveryState) =>
    state.generation === generation ? (counts.get(state.next) ?? null) : null;
  return new Map(Array.from(states, ([id, state]) => [id, { state, backlog: backlogOf(state) }]));
}

/** The progress of endpoints, by id. */
export async function readProgress(tenant: Tenant, ids: readonly string[]): Promise<ReadonlyMap<string, Progress>> {
  const found = await readStatesWithBacklogs(tenant, ids);
  return new Map(Array.from(found, ([id, { state, backlog }]) => [id, progressIn(tenant, state, backlog)]));
}

export const progressOf = async (tenant: Tenant, id: string): Promise<Progress | undefined> =>
  (await readProgress(tenant, [id])).get(id);

/** The progress of one endpoint, also as it is after a fresh start (`stageFreshStart`). */
export async function progressOfChanged(
  tenant: Tenant,
  id: string,
): Promise<{ readonly present?: Progress; readonly afresh?: Progress }> {
  const found = (await readStatesWithBacklogs(tenant, [id])).get(id);
  if (found === undefined) return {};
  const { state, backlog } = found;
  // Where a replay has to wait, it still does.
  const { failing_since: _, retry_at: __, ...afresh } = state;
  return { present: progressIn(tenant, state, backlog), afresh: progressIn(tenant, afresh, backlog) };
}

/** The progress of an endpoint that is going to have this state. */
export async function progressAt(tenant: Tenant, state: DeliveryState): Promise<Progress> {
  const { counts } = await new JournalReader(tenant).countFrom(Promise.resolve([state.next]));
  return progressIn(tenant, state, counts.get(state.next) ?? null);
}

function progressIn(tenant: Tenant, state: DeliveryState, backlog: number | null): Progress {
  const now = timeIn(tenant);
  const due = dueAt(state, now);
  return {
    delivered_through: cursorOf(tenant.id, state),
    backlog,
    failing_since: state.failing_since ?? null,
    waits_until: due > now ? new Date(due).toISOString() : null,
    last_success_at: state.last_success_at ?? null,
  };
}

/** The progress of an endpoint after a change of itself, whose event is one more in the backlog. */
export const afterOwnEvent = (progress: Progress | undefined): Progress | undefined =>
  progress && { ...progress, backlog: progress.backlog === null ? null : progress.backlog + 1 };

/** An endpoint as it is returned to those who may change it. */
export const showEndpoint = (
  { secrets: _, confirmed: __, challenge: ___, ...endpoint }: StoredEndpoint,
  progress: Progress = UNKNOWN,
): WebhookEndpoint => ({ ...endpoint, ...progress });

export const showEndpointTo = (caller: Caller, endpoint: StoredEndpoint, progress?: Progress): WebhookEndpoint =>
  withVisibleAddress(showEndpoint(endpoint, progress), caller.permissions && [...caller.permissions]);
