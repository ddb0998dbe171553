import {
  Condition,
  type Item,
  ids,
  indexes,
  type Key,
  readPartition,
  schema,
  storedSets,
} from '@custodia/counted-lists';
import { type Entity, PLATFORM, tenantKey, tenantPartition } from '#table';
import { CHILDREN, indexesOf, MOVES, stageFlag, toRecord } from '#table/storage';
import {
  changed,
  type Found,
  type Subject,
  type Verified,
  type VerifyContext,
  verifyUntilStable,
} from './difference.ts';
import type { Counted, Kind } from './kinds.ts';
import { concurrently, countPartition, readItem, readLast, readNumberSet, recordsByNumber } from './reading.ts';
import type { Check } from './scan-records.ts';
import { Sums } from './scan-records.ts';

/**
 * Verifies what items count: a record those that refer to it and those below it, a quota all of a kind. Counted in
 * scans, and again where the results differ.
 */

type Counts = Readonly<Record<string, number>>;

/** Fields of records are there from the beginning, other counts (`CHILDREN`) from the first change on. */
const countIn = (item: Item, attribute: string): number =>
  Number(item[attribute] ?? (attribute.toUpperCase() === attribute ? 0 : Number.NaN));

/**
 * Verifies the counts of an item. If they and `MOVES` are the same before and after counting again, nothing has changed
 * in between.
 * @param list by which the item's flags follow its counts
 */
export const verifyCounts = (
  scope: VerifyContext,
  subject: Subject,
  key: Key,
  recount: (item: Item) => Promise<Counts>,
  list?: indexes.Indexes,
): Promise<Verified[]> =>
  verifyUntilStable(scope, subject, async () => {
    const before = (await readItem(scope, key)) ?? {};
    const counted = await recount(before);
    const after = (await readItem(scope, key)) ?? {};
    const seen = ['id', MOVES, ...Object.keys(counted)];
    const equals = Object.fromEntries(seen.map((attribute) => [attribute, before[attribute]]));
    if (!Condition.isMet({ equals }, after)) throw changed();
    const wrong = Object.entries(counted).filter(([attribute, count]) => countIn(before, attribute) !== count);
    const flags = list === undefined ? [] : wrongFlags(list, before, counted);
    return {
      found: [
        ...wrong.map(
          ([field, count]): Found => ['counter', `${field} is ${countIn(before, field)}, counted are ${count}`, field],
        ),
        ...flags.map(({ flag, isTrue }): Found => {
          const text = isTrue ? 'is not stored, and there are some' : 'is stored, and there are none';
          return ['wrong-note', `${flag} ${text}`, flag];
        }),
      ],
      repair: (work) => {
        work.update(key, { set: Object.fromEntries(wrong), condition: { equals }, onConditionFailed: changed });
        if (list !== undefined) for (const flag of flags) stageFlag(work, list, before, flag, changed);
      },
    };
  });

/**
 * The flags that are others than these counts, of a record that is listed by them: others are built with their filter
 * (`list.ts`).
 */
const wrongFlags = (list: indexes.Indexes, record: Item, counts: Counts) =>
  list.counted.flatMap(({ name: flag, counter }) => {
    const isTrue = (counts[counter] ?? 0) > 0;
    const isWrong = indexes.Indexes.isIn(record, flag) && (record[flag] === true) !== isTrue;
    return isWrong ? [{ flag, isTrue }] : [];
  });

/** The counts of the records of a kind. */
export class RecordCounts implements Check {
  readonly #scope: VerifyContext;
  readonly #kind: Kind;
  readonly #partition: string;
  readonly #list: indexes.Indexes;
  /** Those that expire are counted when they are created, and not when they expire. */
  readonly #below: readonly Entity[];
  /** The attributes with counts. */
  readonly #counting: readonly string[];
  /** What was counted in the scans, less what is stored. */
  readonly #sums = new Sums();
  /** The ids of the records that count those below them. */
  readonly #parents: string[] = [];
  /** The numbers of the counted records, by what is counted and by the id of the record that counts them. */
  readonly #counted = new Map<Counted, Map<string, number[]>>();

  constructor(scope: VerifyContext, kind: Kind) {
    this.#scope = scope;
    this.#kind = kind;
    this.#partition = tenantPartition(scope.tenant, kind.entity.name);
    this.#list = indexesOf(kind.entity, scope.tenant, this.#partition);
    this.#below = kind.below.filter(({ retentionDays }) => retentionDays === undefined);
    this.#counting = [...Object.keys(kind.counters), ...(this.#below.length > 0 ? [CHILDREN] : [])];
  }

  visit({ name }: Entity, record: Item, number: number): void {
    if (name === this.#kind.entity.name) this.#visitCounting(record, number);
    for (const [field, sources] of Object.entries(this.#kind.counters))
      for (const source of sources) if (source.entity.name === name) this.#visitCounted(field, source, record, number);
  }

  #visitCounting(record: Item, number: number): void {
    const stored = Object.fromEntries(this.#counting.map((attribute) => [attribute, countIn(record, attribute)]));
    for (const [attribute, count] of Object.entries(stored))
      if (Number.isSafeInteger(count)) this.#sums.add(number, attribute, -count);
      else this.#sums.add(number, 'no count', 1);
    if (wrongFlags(this.#list, record, stored).length > 0) this.#sums.add(number, 'wrong flag', 1);
    if (this.#below.length > 0) this.#parents.push(String(record.id));
  }

  #visitCounted(field: string, source: Counted, record: Item, number: number): void {
    const id = record[source.by];
    if (typeof id !== 'string' || !isCounted(source, record)) return;
    this.#sums.add(ids.numberOf(id), field, 1);
    const byId = this.#counted.get(source) ?? new Map<string, number[]>();
    const numbers = byId.get(id);
    if (numbers === undefined) this.#counted.set(source, byId.set(id, [number]));
    else numbers.push(number);
  }

  async verify(): Promise<readonly Verified[]> {
    await concurrently(this.#parents, async (id) => {
      this.#sums.add(ids.numberOf(id), CHILDREN, await this.#countBelow(id));
      return [];
    });
    return concurrently(this.#sums.differing(), async (number) => {
      const key = { PK: this.#partition, SK: ids.sortKeyOf(number) };
      const id = (await readItem(this.#scope, key))?.id;
      if (id === undefined) return [];
      const subject = { entity: this.#kind.entity.name, id: String(id) };
      return verifyCounts(this.#scope, subject, key, (item) => this.#recount(item), this.#list);
    });
  }

  /** None for a record that is gone. */
  async #recount({ id }: Item): Promise<Counts> {
    if (id === undefined) return {};
    const counts = this.#counting.map(async (attribute): Promise<[string, number]> => {
      if (attribute === CHILDREN) return [attribute, await this.#countBelow(String(id))];
      const sources = this.#kind.counters[attribute] ?? [];
      return [attribute, sum(await Promise.all(sources.map((each) => this.#countOf(each, String(id)))))];
    });
    return Object.fromEntries(await Promise.all(counts));
  }

  /** Counts the records of the scan, and newer ones, which are in the set of the filter. */
  async #countOf(source: Counted, id: string): Promise<number> {
    const { entity, by } = source;
    const partition = tenantPartition(this.#scope.tenant, entity.name);
    const set = await readNumberSet(this.#scope, storedSets.partitionOf(partition, by, id));
    const numbers = new Set([...(this.#counted.get(source)?.get(id) ?? []), ...set.numbers()]);
    const records = await recordsByNumber(this.#scope, partition, [...numbers]);
    return [...records.values()].filter((record) => record[by] === id && isCounted(source, record)).length;
  }

  async #countBelow(id: string): Promise<number> {
    const { tenant } = this.#scope;
    const counts = this.#below.map(async ({ name, numbered }) => {
      const partition = tenantPartition(tenant, this.#kind.entity.name, id, name);
      if (!numbered) return countPartition(this.#scope, partition);
      // The highest number of numbered records, which must not be given to another record.
      const last = await readLast(this.#scope, partition);
      return last === undefined ? 0 : ids.numberIn(String(last.SK)) + 1;
    });
    return sum(await Promise.all(counts));
  }
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

const isCounted = ({ entity, when }: Counted, record: Item): boolean =>
  when === undefined || when(toRecord(entity, record));

/** Verifies an organization's quota of records of a kind: its active integrations. The platform has none. */
export async function verifyQuota(scope: VerifyContext, { entity, quota }: Kind): Promise<Verified[]> {
  const counted = Object.entries(quota);
  if (counted.length === 0 || scope.tenant === PLATFORM) return [];
  const recount = async (): Promise<Counts> => {
    const counts: Record<string, number> = Object.fromEntries(counted.map(([attribute]) => [attribute, 0]));
    for await (const item of readPartition(scope, tenantPartition(scope.tenant, entity.name)))
      for (const [attribute, isOne] of schema.isRecord(item) ? counted : [])
        if (isOne(toRecord(entity, item))) counts[attribute] = (counts[attribute] ?? 0) + 1;
    return counts;
  };
  const subject = { entity: entity.name, name: 'quota' };
  return verifyCounts(scope, subject, tenantKey(scope.tenant, 'QUOTA', entity.name), recount);
}
