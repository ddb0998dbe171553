import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, type Key, restorable, schema, serverTime, UnitOfWork } from '@custodia/counted-lists';
import type { TimeLimit } from '../../clock.ts';
import { StaleRead } from '../errors.ts';
import { tenantKey, tenantPartition } from '../keys.ts';
import { CHILDREN, finishCascadeDeletes, stageCascadeDelete } from './cascade-delete.ts';
import { MOVES } from './derived-fields.ts';
import { type Entity, isField } from './entity.ts';
import type { RecordReader } from './records.ts';
import { CLAIMED } from './stored-values.ts';

/**
 * Deleted records that can be restored (`docs/decisions/0008-deleting.md`). The tombstone keeps the record, its number
 * is a gap that can be opened again, and an item says what can be restored: exactly while its bit is set.
 *
 *     record ── remove ──▶ tombstone with the record, bit in the trash, item in the list
 *        ▲                    │                    └── end ──▶ tombstone of a day, gap bit; then its children go
 *        └──── restore ───────┘
 */

/** For how long, in milliseconds. */
const KEPT = 30 * 86_400_000;
/** How much longer DynamoDB keeps the tombstone, in seconds. */
const LONGER = 86_400;

/** Attribute of a tombstone: the id of the record that was deleted here. */
export const DELETED = 'DELETED';
/** Attribute of a tombstone: the fields of its record, so that no reader takes it for one. */
const FIELDS = 'FIELDS';

/** Most characters of a title. */
const TITLE = 100;

/** A deleted record in the list of those that can be restored. */
export interface TrashedEntry {
  readonly id: string;
  readonly title: string;
  /** Epoch milliseconds. */
  readonly deletedAt: number;
  /** Until when it can be restored. Epoch milliseconds. */
  readonly endsAt: number;
  /** The integration; null for others, such as the operator. */
  readonly deletedBy: string | null;
  /** Where it is in the list: its time and id. */
  readonly place: string;
}

type Records = Pick<RecordReader<object>, 'session' | 'tenant' | 'table' | 'indexes' | 'keyOf'> & {
  readonly entity: Pick<Entity, 'name' | 'restorable'>;
};

/** Until when a record can be restored that was deleted then. Epoch milliseconds. */
export const endOfTrash = (deletedAt: number): number => deletedAt + KEPT;

/** When a request deletes and looks: by the clock of DynamoDB, so that no wrong one ends what others have deleted. */
export const timeOf = ({ table, session: { now } }: Pick<Records, 'table' | 'session'>): number =>
  serverTime(table, () => now);

/** What may change in a record without a new version, for the condition of a tombstone that keeps it. */
export const movedIn = ({ [CHILDREN]: children, [MOVES]: moves }: Item): Item => ({
  [CHILDREN]: children,
  [MOVES]: moves,
});

const attributesIn = (item: Item, areFields: boolean): Item =>
  Object.fromEntries(Object.entries(item).filter(([name]) => isField(name) === areFields));

/**
 * The tombstone of a record as found: for a day, or with the record, in the version of its deletion.
 * @param further what the record keeps of its event @param deletedAt undefined for a day
 */
export function tombstoneOf({ session: { now } }: Records, found: Item, further: Item, deletedAt?: number): Item & Key {
  const common = { ...schema.keyIn(found), [DELETED]: found.id };
  if (deletedAt === undefined) return { ...common, ...schema.tombstoneOfDay(now) };
  return {
    ...attributesIn(found, false),
    ...further,
    ...common,
    [schema.VERSION]: Number(found[schema.VERSION]) + 1,
    [schema.TOMBSTONE]: true,
    [restorable.TRASHED]: deletedAt,
    [schema.TTL]: Math.floor(endOfTrash(deletedAt) / 1000) + LONGER,
    [FIELDS]: attributesIn(found, true),
  };
}

/** Attributes that a restored record does not have: it claims no value for upserts until one finds it. */
const OF_TOMBSTONES = [schema.TOMBSTONE, restorable.TRASHED, schema.TTL, schema.WRITE_ID, DELETED, FIELDS, CLAIMED];

/** The record of a tombstone, as an item with the version of its deletion. */
export const itemInTrash = (tombstone: Item): Item => ({
  ...Object.fromEntries(Object.entries(tombstone).filter(([name]) => !OF_TOMBSTONES.includes(name))),
  ...(tombstone[FIELDS] as Item),
});

/** The condition that a tombstone is as read. */
export const asTrashed = ({ [DELETED]: id, [restorable.TRASHED]: at }: Item) => ({
  equals: { [DELETED]: id, [restorable.TRASHED]: at },
});

const DIGITS = 15;
const placeOf = (at: number, id = ''): string => `${String(at).padStart(DIGITS, '0')}-${id}`;

const keyAt = ({ tenant, entity }: Records, place: string): Key =>
  tenantKey(tenant, 'TRASH', `${entity.name}#${place}`);

/** The key of an entry. */
export const entryKey = (records: Records, at: unknown, id: unknown): Key =>
  keyAt(records, placeOf(Number(at), String(id)));

const entryOf = (records: Records, record: Item, at: unknown, by: string | null): Item & Key => ({
  ...entryKey(records, at, record.id),
  title: [...String(record[records.entity.restorable?.title ?? ''] ?? '')].slice(0, TITLE).join(''),
  by,
});

/** The entry of a tombstone, for one that was lost. */
export const lostEntryOf = (records: Records, tombstone: Item): Item & Key =>
  entryOf(records, itemInTrash(tombstone), tombstone[restorable.TRASHED], null);

/** Stages that a record as found comes into the list and the bits of the trash. What has expired ends afterwards. */
export function stageTrashed(records: Records, found: Item, deletedAt: number): void {
  const { session, tenant } = records;
  const work = session.changes.of(tenant);
  const actor = session.audit.origin?.actor;
  const by = actor !== undefined && 'id' in actor ? actor.id : null;
  work.put(entryOf(records, found, deletedAt, by), changed);
  records.indexes.stageTrash(work, found, 1n);
  session.changes.afterCommit(async () => {
    const deadline = Math.min(session.clock() + LONGEST, session.deadline);
    await endExpired(records, { clock: session.clock, deadline });
  });
}

const changed = (): StaleRead => new StaleRead('what is in the trash has changed');

/** Stages that a record leaves the list and the bits of the trash. */
export function stageLeaving(work: UnitOfWork, records: Records, id: string, deletedAt: unknown): void {
  records.indexes.stageTrash(work, { SK: records.keyOf(id).SK }, -1n);
  work.delete(entryKey(records, deletedAt, id), { exists: true }, changed);
}

/**
 * Stages that a record cannot be restored any more: its number becomes a gap like all others, what is below it goes.
 * @param tombstone undefined where DynamoDB has deleted it
 */
export function stageEnd(
  work: UnitOfWork,
  records: Records,
  { id, deletedAt }: Pick<TrashedEntry, 'id' | 'deletedAt'>,
  tombstone: Item | undefined,
): void {
  const { session, tenant, entity } = records;
  const key = records.keyOf(id);
  stageLeaving(work, records, id, deletedAt);
  records.indexes.stageGap(work, { SK: key.SK });
  if (tombstone === undefined) work.update(key, { condition: { exists: false }, onConditionFailed: changed });
  else {
    const left = { ...key, ...schema.tombstoneOfDay(session.now), [DELETED]: id };
    work.put(left, changed, asTrashed(tombstone));
    work.noteSize(key, tombstone);
  }
  if (tombstone === undefined || Number(tombstone[CHILDREN] ?? 0) > 0)
    for (const child of entity.restorable?.below?.() ?? [])
      stageCascadeDelete(work, tenant, tenantPartition(tenant, entity.name, id, child.name));
}

/** The item at a record's key. Strongly consistent. */
export async function readPlace(records: Pick<Records, 'table' | 'keyOf'>, id: string): Promise<Item | undefined> {
  const { client, name } = records.table;
  const command = new GetCommand({ TableName: name, Key: { ...records.keyOf(id) }, ConsistentRead: true });
  return (await client.send(command)).Item;
}

/** Whether an item is the tombstone of this record that can be restored. @param deletedAt if it was deleted then */
export const isTombstoneOf = (
  item: Item | undefined,
  id: string,
  deletedAt = item?.[restorable.TRASHED],
): item is Item => restorable.isTrashed(item) && item[DELETED] === id && item[restorable.TRASHED] === deletedAt;

interface TrashQuery {
  /** Deleted then or later, and before that. Epoch milliseconds. */
  readonly from: number;
  readonly to?: number;
  readonly limit: number;
  readonly newestFirst: boolean;
  /** The place of the last one of the page before. */
  readonly after?: string | undefined;
}

/** What is in the list. Strongly consistent. */
export async function readTrash(
  records: Records,
  { from, to = 10 ** DIGITS - 1, limit, newestFirst, after }: TrashQuery,
): Promise<readonly TrashedEntry[]> {
  const { table } = records;
  const [first, last] = [keyAt(records, placeOf(from)), keyAt(records, placeOf(to))];
  // DynamoDB refuses to begin outside of what is read: a cursor may be older than all, or made up.
  const begin = after === undefined ? undefined : keyAt(records, after);
  if (begin !== undefined && (newestFirst ? begin.SK < first.SK : begin.SK > last.SK)) return [];
  const isWithin = begin !== undefined && begin.SK >= first.SK && begin.SK <= last.SK;
  const { Items: items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'PK = :trash AND SK BETWEEN :from AND :to',
      ExpressionAttributeValues: { ':trash': first.PK, ':from': first.SK, ':to': last.SK },
      ExclusiveStartKey: isWithin ? { ...begin } : undefined,
      Limit: limit,
      ScanIndexForward: !newestFirst,
      ConsistentRead: true,
    }),
  );
  return items.map(entryIn);
}

function entryIn({ SK, title, by }: Item): TrashedEntry {
  const place = String(SK).slice(String(SK).indexOf('#') + 1);
  const id = place.slice(DIGITS + 1);
  const deletedAt = Number(place.slice(0, DIGITS));
  return { id, title: String(title), deletedAt, endsAt: endOfTrash(deletedAt), deletedBy: by as string | null, place };
}

/** Longest time that this may add to a deletion, in milliseconds. */
const LONGEST = 2_000;
/** Most that one deletion ends. */
const FEW = 10;

/**
 * Ends what was deleted too long ago, one after another, as long as there is time.
 * @returns whether that was all
 */
export async function endExpired(records: Records, limit: TimeLimit, most = FEW): Promise<boolean> {
  const { table, tenant, session } = records;
  let after: string | undefined;
  for (let read = 0; read < most; read += FEW) {
    const to = serverTime(table, session.clock) - KEPT + 1;
    const expired = await readTrash(records, { from: 0, to, limit: FEW, newestFirst: false, after });
    for (const entry of expired) {
      if (limit.clock() >= limit.deadline) return false;
      await endEntry(records, entry, limit);
    }
    if (expired.length > 0) await finishCascadeDeletes(table, tenant, limit);
    if (expired.length < FEW) return true;
    after = expired.at(-1)?.place;
  }
  return false;
}

/** Ends what an entry says, unless something else is found there. */
async function endEntry(records: Records, entry: TrashedEntry, limit: TimeLimit): Promise<void> {
  const item = await readPlace(records, entry.id);
  if (item !== undefined && !isTombstoneOf(item, entry.id, entry.deletedAt)) return;
  const work = new UnitOfWork();
  stageEnd(work, records, entry, item);
  await work.commit(records.table, limit).catch((error) => {
    // Another one has ended it.
    if (!(error instanceof StaleRead)) throw error;
  });
}
