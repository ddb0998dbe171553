import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import {
  Condition,
  type Item,
  indexes,
  type Key,
  listErrors,
  type OnConditionFailed,
  retry,
  schema,
  type Table,
  type UnitOfWork,
} from '@custodia/counted-lists';
import { CLOCKS_DIFFER_MS, type Clock } from '../../clock.ts';
import { StaleRead } from '../errors.ts';
import { tenantPartition } from '../keys.ts';
import type { RequestSession } from '../session/request-session.ts';
import type { CountedBy, Entity, LatestOf } from './entity.ts';
import { RecordReader, type Records, type Stored } from './records.ts';

/** Attribute of a record or a quota: how often its counters were changed. */
export const MOVES = 'MOVES';

/**
 * Fields that are derived from other records: counters, and times that move forward. Changing them does not raise the
 * version.
 */
export class DerivedFields<T extends object> {
  readonly #records: RecordReader<T>;

  constructor(records: RecordReader<T>) {
    this.#records = records;
  }

  /**
   * Stages a change of derived fields. The version stays, so that a changed counter does not cause a 412. `MOVES`
   * counts the changes of counters, so that a recount can detect changes in between (`verify/counts.ts`).
   * `onConditionFailed` returns the error for a missing record, or when `equals` does not hold.
   */
  adjust(
    id: string,
    { add, equals = {} }: { add: Readonly<Record<string, number>>; equals?: Readonly<Record<string, unknown>> },
    onConditionFailed: OnConditionFailed,
  ): void {
    const { session, tenant, indexes: list } = this.#records;
    const work = session.changes.of(tenant);
    const key = this.#records.keyOf(id);
    work.update(key, {
      ...(Object.keys(add).length === 0 ? {} : { add: { ...add, [MOVES]: 1 } }),
      condition: { equals: { id, ...equals } },
      onConditionFailed,
    });
    if (list.counted.every(({ counter }) => (add[counter] ?? 0) === 0)) return;
    // The transaction may change several records that one counts.
    work.expect(key, (staged, found) => {
      for (const { name: flag, counter } of list.counted)
        stageFlagOf(staged, list, key, { flag, counter, amount: staged.sumIn(key, counter) }, found);
    });
  }

  /**
   * Stages that a time by which a list is sorted moves forward to that of the request. The time has a separate
   * condition, because it may move before the commit: then the change is staged again, without running the operation
   * again.
   * @param onMissing returns the error for a record that is gone
   * @param first a field that gets the time of the request too, where it has none
   */
  move(stored: Stored<T>, field: keyof T & string, onMissing: OnConditionFailed, first?: keyof T & string): void {
    const { session, tenant, indexes: list } = this.#records;
    const { id } = stored.item;
    const key = schema.keyIn(stored.item);
    const onConditionFailed: OnConditionFailed = (item) =>
      item !== undefined && item.id === id ? new listErrors.Unexpected(key, item) : onMissing(item);
    session.changes.of(tenant).expect(key, (work, found = stored.item) => {
      const time = forward(found[field], session);
      const set = {
        ...(time === found[field] ? {} : { [field]: time }),
        ...(first === undefined || typeof found[first] === 'string' ? {} : { [first]: session.timestamp }),
      };
      const changed = Object.keys(set);
      // If it has that time or a later one, only require that it exists: few changes of a burst move it.
      if (changed.length === 0) return work.update(key, { condition: { equals: { id } }, onConditionFailed });
      const asFound = Object.fromEntries(changed.map((name) => [name, found[name]]));
      stageMoved(work, list, found, set, { id, ...asFound }, onConditionFailed);
    });
  }

  /** Moves a field forward to a time, after the commit. Best effort: it may lag. @param timeOf undefined: no time */
  advance(id: string, field: keyof T & string, timeOf: () => Promise<string | undefined>): void {
    const { session, table } = this.#records;
    const key = this.#records.keyOf(id);
    session.changes.afterCommit(async () => {
      const value = await timeOf();
      if (value === undefined) return;
      const task = () => advance(table, key, { id, field, value }, session);
      await (session.batch?.shared.postpone(`${schema.nameOf(key)} ${field}`, value, task) ?? task());
    });
  }
}

/**
 * Stages what becomes of a flag when its counter changes, without reading it: the counter is expected to be more than
 * 0, and to stay so. For a counter that leaves or reaches 0 this is refused; then the item is known, and the flag is
 * changed with the counter.
 */
function stageFlagOf(
  work: UnitOfWork,
  list: indexes.Indexes,
  key: Key,
  { flag, counter, amount }: { readonly flag: string; readonly counter: string; readonly amount: number },
  found: Item | undefined,
): void {
  if (amount === 0) return;
  const onConditionFailed: OnConditionFailed = (item) => new listErrors.Unexpected(key, item ?? {});
  const expected = { equals: { [flag]: true }, moreThan: { [counter]: Math.max(0, -amount) } };
  if (found === undefined || Condition.isMet(expected, found)) {
    work.update(key, { condition: expected, onConditionFailed });
    return;
  }
  work.update(key, { condition: { equals: { [counter]: found[counter] } }, onConditionFailed });
  stageFlag(work, list, found, { flag, isTrue: Number(found[counter] ?? 0) + amount > 0 }, onConditionFailed);
}

/**
 * Stages that a flag of a record becomes true or not, on condition that what the record says of it is as read: `item`.
 * A record that is older than the flag enters its set.
 */
export function stageFlag(
  work: UnitOfWork,
  list: indexes.Indexes,
  item: Item,
  { flag, isTrue }: { readonly flag: string; readonly isTrue: boolean },
  onConditionFailed: OnConditionFailed,
): void {
  const changed = indexes.Indexes.flagNote(item, flag, isTrue);
  stageMoved(work, list, item, changed, { [flag]: item[flag] }, onConditionFailed);
}

/** The latest time that a right clock may have written (`docs/decisions/0160-clocks.md`). */
const latestBy = (clock: Clock): string => new Date(clock() + CLOCKS_DIFFER_MS).toISOString();

/** The request's time, or the record's later one: a request may commit after one that began later. */
export const forward = (stored: unknown, { timestamp, clock }: Pick<RequestSession, 'timestamp' | 'clock'>): string =>
  typeof stored === 'string' && stored > timestamp && stored <= latestBy(clock) ? stored : timestamp;

/** Stages that attributes of a record as found change without a new version, and its entries with them. */
function stageMoved(
  work: UnitOfWork,
  list: indexes.Indexes,
  found: Item,
  set: Item,
  expected: Item,
  onConditionFailed: OnConditionFailed,
): void {
  list.stage(work, found, list.change(found, { ...found, ...set }));
  const equals = { ...expected, [indexes.SETS]: found[indexes.SETS] };
  work.update(schema.keyIn(found), { set, condition: { equals }, onConditionFailed });
}

/** Longest time to retry while the item is in a transaction. In milliseconds. */
const TIMEOUT_MS = 500;

/**
 * Moves a time of a record forward, never back: one `UpdateItem`, refused where the record has that time or a later one
 * already. A time in the future is replaced, and one is not taken over.
 */
async function advance(
  table: Table,
  key: Key,
  { id, field, value }: { readonly id: string; readonly field: string; readonly value: string },
  { clock, deadline, observer, timestamp }: Pick<RequestSession, 'clock' | 'deadline' | 'observer' | 'timestamp'>,
): Promise<void> {
  const latest = latestBy(clock);
  const command = new UpdateCommand({
    TableName: table.name,
    Key: { ...key },
    UpdateExpression: 'SET #field = :value',
    // `NOT BETWEEN` and not `<` or `>`, which are false for null.
    ConditionExpression: 'id = :id AND NOT #field BETWEEN :value AND :latest',
    ExpressionAttributeNames: { '#field': field },
    ExpressionAttributeValues: { ':id': id, ':value': value <= latest ? value : timestamp, ':latest': latest },
  });
  const timeLimit = { clock, deadline: Math.min(deadline, clock() + TIMEOUT_MS), observer };
  await retry(() => table.client.send(command), timeLimit);
}

/**
 * What a record derives from those that refer to it. It is declared beside the reference (`counted` and `latest` of an
 * entity), and the repository stages it with whatever changes the reference or what counts: a creation, a change, a
 * deletion. No operation does.
 */

type AnyRecord = Readonly<Record<string, unknown>>;

/**
 * Stages what a change of a record changes in those that it refers to.
 * @param before undefined for a new record
 * @param after undefined for one that is deleted
 */
export function stageDerived(records: Records, before: object | undefined, after: object | undefined): void {
  const { counted, latest } = records.entity;
  const [was, is] = [before as AnyRecord | undefined, after as AnyRecord | undefined];
  for (const [field, declared] of Object.entries(counted))
    if (declared !== undefined) stageCounts(records, field, declared as CountedBy<unknown>, was, is);
  for (const [field, declared] of Object.entries(latest)) {
    const id = is?.[field];
    if (declared !== undefined && typeof id === 'string' && id !== was?.[field])
      stageLatest(records, id, declared, is ?? {}, was === undefined);
  }
}

function stageCounts(
  records: Records,
  field: string,
  declared: CountedBy<unknown>,
  was: AnyRecord | undefined,
  is: AnyRecord | undefined,
): void {
  const [left, joined] = [was?.[field], is?.[field]];
  const derived = derivedOf(records, declared.by);
  for (const id of new Set([left, joined])) {
    if (typeof id !== 'string') continue;
    const add = additions(declared, field, id, was, is);
    if (id !== joined) derived.adjust(id, { add }, () => new StaleRead('the record has left what it referred to'));
    else if (id !== left) derived.adjust(id, { add, equals: declared.equals?.(is) ?? {} }, declared.onMissing);
    else if (Object.keys(add).length > 0) derived.adjust(id, { add }, declared.onMissing);
  }
}

/** What a change adds to the counters of one record, without those that stay as they are. */
function additions(
  { counts }: CountedBy<unknown>,
  field: string,
  id: string,
  was: AnyRecord | undefined,
  is: AnyRecord | undefined,
): Readonly<Record<string, number>> {
  const all = Object.entries(counts).map(([counter, which]): [string, number] => {
    const times = (record: AnyRecord | undefined): number =>
      Number(record?.[field] === id && (which === 'all' || which(record)));
    return [counter, times(is) - times(was)];
  });
  return Object.fromEntries(all.filter(([, amount]) => amount !== 0));
}

function stageLatest(records: Records, id: string, declared: LatestOf, record: AnyRecord, isNew: boolean): void {
  derivedOf(records, declared.of).advance(id, declared.field, async () => {
    // When a record gets its reference later, the records below it count, too.
    const below = isNew ? undefined : await latestBelow(records, String(record.id), declared);
    return [record[declared.time], below]
      .filter((time) => typeof time === 'string')
      .toSorted()
      .at(-1);
  });
}

async function latestBelow(
  { session, tenant, entity }: Records,
  id: string,
  { below, time }: LatestOf,
): Promise<unknown> {
  const child = below();
  const partition = tenantPartition(tenant, entity.name, id, child.name);
  const reader = new RecordReader(session, tenant, child, { partition });
  const { records } = await reader.cursorPage({ limit: 1, newestFirst: true });
  return records[0]?.record[time];
}

const derivedOf = ({ session, tenant }: Records, entity: Entity): DerivedFields<Record<string, unknown>> =>
  new DerivedFields(new RecordReader(session, tenant, entity, { partition: tenantPartition(tenant, entity.name) }));
