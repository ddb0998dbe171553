import { ids, listErrors } from '@custodia/counted-lists';
import { Problem } from '#contract';
import type { Caller } from '#identity';
import { JournalReader, type Stored, type Tenant } from '#table';
import { cursorRefusal, type Position, readCursor } from '../cursor.ts';
import { dueAt, LONGEST_WAIT_MS, timeIn } from '../state/lease.ts';
import { stageReplayTime } from '../state/limits.ts';
import { stageRegistration } from '../state/register.ts';
import { type DeliveryState, readStates, stageReplay } from '../state/state.ts';
import type { Confirmed, StoredEndpoint } from '../store.ts';
import { confirm } from './authority.ts';
import { stageChange } from './changes.ts';
import { isVerified, NOT_PINGED, VERIFIED } from './proof.ts';

/**
 * Stages that an endpoint goes on from another place.
 * @param from a cursor, `oldest` or `latest`
 * @returns also its state after that
 * @throws Problem `invalid-body`, `cursor-expired`, `forbidden`, `conflict` or `too-many-requests`
 */
export async function replayEndpoint(
  tenant: Tenant,
  caller: Caller,
  before: Stored<StoredEndpoint>,
  from: string,
): Promise<{ readonly after: Stored<StoredEndpoint>; readonly state: DeliveryState }> {
  const [start, confirmed, states] = await Promise.all([
    startOf(tenant, from).catch((error: unknown) => {
      throw cursorRefusal(error, { in: 'body', pointer: '#/from' }, ['oldest', 'latest']);
    }),
    confirm(tenant, caller, before.record, before.record.status === 'expired'),
    readStates(tenant, [before.record.id]),
  ]);
  const state = states.get(before.record.id);
  const begins = from === 'latest' ? AT_ONCE : await beginOf(tenant, state, start);
  const after = await stageReplayFrom(tenant, before, start, { confirmed, begins });
  return { after, state: { ...state, ...start, ...(begins !== undefined && { replay_at: begins }) } };
}

/** Ends the wait of an earlier replay. One from the `latest` event does, because it repeats nothing. */
const AT_ONCE = 0;

/**
 * When a replay begins. One that goes back is one of the tenant's in this hour, unless it takes the place of one that
 * has not begun yet.
 * @returns undefined where it does so at once
 * @throws Problem `too-many-requests` where it would not within an hour
 */
async function beginOf(
  tenant: Tenant,
  state: DeliveryState | undefined,
  { next, generation }: Position,
): Promise<number | undefined> {
  const goesBack = state?.generation === generation && next < state.next;
  const now = timeIn(tenant);
  if (!goesBack || dueAt({ ...state, retry_at: 0 }, now) > now) return undefined;
  const begins = await stageReplayTime(tenant);
  if (begins <= now) return undefined;
  if (begins <= now + LONGEST_WAIT_MS) return begins;
  throw new Problem('too-many-requests', {
    detail: 'Ten replays an hour begin in an organization, and as many wait for that already.',
    headers: { 'Retry-After': String(Math.ceil((begins - now - LONGEST_WAIT_MS) / 1_000)) },
  });
}

interface Replay {
  readonly confirmed: Confirmed;
  /** In epoch milliseconds; undefined: at once, or as before. */
  readonly begins: number | undefined;
}

/** Stages that an endpoint goes on from here. One that is `expired` becomes active, or unverified. */
async function stageReplayFrom(
  tenant: Tenant,
  before: Stored<StoredEndpoint>,
  start: Position,
  { confirmed, begins }: Replay,
): Promise<Stored<StoredEndpoint>> {
  const after = await stageChange(tenant, before, {
    // A change in any case: its event wakes the deliveries.
    replayed_at: tenant.session.timestamp,
    confirmed,
    ...(before.record.status === 'expired' && (isVerified(before.record) ? VERIFIED : NOT_PINGED)),
  });
  const { id, status } = after.record;
  stageReplay(tenant, id, start, begins);
  if (status === 'active') stageRegistration(tenant, id, after.version);
  return after;
}

/**
 * The place that a cursor, `oldest` or `latest` names.
 * @throws WrongCursor; FeedExpired where not all events from there on are kept
 */
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
