import type { Caller } from '#identity';
import { ids, listErrors } from '#lists';
import { JournalReader, type Stored, type Tenant } from '#table';
import { stageRegistration, stageReplay } from '#tenancy/deliveries';
import { type Position, readCursor } from '../events/cursor.ts';
import { cursorRefusal } from '../events/refusals.ts';
import { confirm } from './authority.ts';
import { stageChange } from './change.ts';
import type { StoredEndpoint } from './store.ts';

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
  const { id, status } = before.record;
  const isActivated = status === 'expired';
  const [start, confirmed] = await Promise.all([
    startOf(tenant, from).catch((error: unknown) => {
      throw cursorRefusal(error, { in: 'body', pointer: '#/from' });
    }),
    confirm(tenant, caller, before.record, isActivated),
  ]);
  const after = await stageChange(tenant, before, {
    // A change in any case: its event wakes the deliveries.
    replayed_at: tenant.session.timestamp,
    confirmed,
    ...(isActivated ? { status: 'active', status_reason: null } : {}),
  });
  stageReplay(tenant, id, start);
  if (after.record.status === 'active') stageRegistration(tenant, id, after.version);
  return { after, start };
}

/** @throws WrongCursor; FeedExpired where not all events from there on are kept */
async function startOf(tenant: Tenant, from: string): Promise<Position> {
  const journal = new JournalReader(tenant);
  if (from === 'latest') return journal.end();
  const position = from === 'oldest' ? undefined : readCursor(from, tenant.id);
  const { events, next, generation } = await journal.read({ from: position?.next ?? 'oldest', limit: 1 });
  const [first] = events;
  if (position === undefined) return { generation, next: first === undefined ? next : ids.numberOf(first.id) };
  if (generation !== position.generation) throw new listErrors.FeedExpired();
  return position;
}
