import type { Caller } from '#identity';
import { ids, listErrors } from '#lists';
import { JournalReader, type Stored, type Tenant } from '#table';
import { stageRegistration, stageReplay } from '#tenancy/deliveries';
import { type Position, readCursor } from '../events/cursor.ts';
import { cursorRefusal } from '../events/refusals.ts';
import { confirm } from './authority.ts';
import { stageChange } from './change.ts';
import type { Confirmed, StoredEndpoint } from './store.ts';

/**
 * Stages that an endpoint goes on from another place. One that is `expired` becomes active.
 * @param from a cursor, `oldest` or `latest`
 * @throws Problem `invalid-body`, `cursor-expired`, `forbidden` or `conflict`
 */
export async function replayEndpoint(
  tenant: Tenant,
  caller: Caller,
  before: Stored<StoredEndpoint>,
  from: string,
): Promise<{ readonly after: Stored<StoredEndpoint>; readonly start: Position }> {
  const [start, confirmed] = await Promise.all([
    startOf(tenant, from).catch((error: unknown) => {
      throw cursorRefusal(error, { in: 'body', pointer: '#/from' }, ['oldest', 'latest']);
    }),
    confirm(tenant, caller, before.record, before.record.status === 'expired'),
  ]);
  return { after: await stageReplayFrom(tenant, before, start, confirmed), start };
}

/**
 * Stages that an endpoint goes on from here. One that is `expired` becomes active.
 * @param confirmed by default as it was: the operator, who has no key, confirms nothing
 */
export async function stageReplayFrom(
  tenant: Tenant,
  before: Stored<StoredEndpoint>,
  start: Position,
  confirmed: Confirmed = before.record.confirmed,
): Promise<Stored<StoredEndpoint>> {
  const after = await stageChange(tenant, before, {
    // A change in any case: its event wakes the deliveries.
    replayed_at: tenant.session.timestamp,
    confirmed,
    ...(before.record.status === 'expired' ? { status: 'active', status_reason: null } : {}),
  });
  const { id, status } = after.record;
  stageReplay(tenant, id, start);
  if (status === 'active') stageRegistration(tenant, id, after.version);
  return after;
}

/**
 * The place that a cursor, `oldest` or `latest` names.
 * @throws WrongCursor; FeedExpired where not all events from there on are kept
 */
export async function startOf(tenant: Tenant, from: string): Promise<Position> {
  const journal = new JournalReader(tenant);
  if (from === 'latest') return journal.end();
  const position = from === 'oldest' ? undefined : readCursor(from, tenant.id);
  const { events, next, generation } = await journal.read({ from: position?.next ?? 'oldest', limit: 1 });
  const [first] = events;
  if (position === undefined) return { generation, next: first === undefined ? next : ids.numberOf(first.id) };
  if (generation !== position.generation) throw new listErrors.FeedExpired();
  return position;
}
