import { type Item, ids, indexes, type Key, readPartition, storedSets } from '#lists';
import { NumberSet } from '#lists/maintenance';
import { recordsPartition } from '#table/keys';
import { indexesOf, MOVES, stageFlag, toRecord } from '#table/storage';
import { differing, ExpectedSet } from './bits.ts';
import {
  type Comparison,
  changed,
  type Difference,
  Moved,
  type Verified,
  type VerifyContext,
  verifyUntilStable,
} from './difference.ts';
import type { Counted, Kind } from './kinds.ts';
import { concurrently, readItem, recordsByNumber } from './reading.ts';
import type { Visitor } from './scan-records.ts';

/** Verifies counters of other records: the services of a client. Counted in scans, and again where the results differ. */

/** A record with counters. */
interface Counter {
  readonly number: number;
  /** The values as read in the scan, by field. */
  readonly counts: Readonly<Record<string, number>>;
  /** Whether its flags by counters (`#table`) are others than those of the values. */
  readonly isMisflagged: boolean;
}

export class Counters {
  readonly #scope: VerifyContext;
  readonly #kind: Kind;
  readonly #counters = new Map<string, Counter>();
  readonly #list: indexes.Indexes;
  /** The numbers of the counted records, by what is counted and by the id of the record that counts them. */
  readonly #counted = new Map<Counted, Map<string, number[]>>();

  constructor(scope: VerifyContext, kind: Kind) {
    this.#scope = scope;
    this.#kind = kind;
    this.#list = indexesOf(kind.entity, scope.tenant, recordsPartition(scope.tenant, kind.entity.name));
    for (const counted of Object.values(kind.counters).flat()) this.#counted.set(counted, new Map());
  }

  /** Collects records of a kind that have counters or are counted. */
  visitor(name: string): Visitor {
    const counted = [...this.#counted].filter(([{ entity }]) => entity.name === name);
    return (record, number) => {
      if (name === this.#kind.entity.name) {
        const fields = Object.keys(this.#kind.counters);
        const counts = Object.fromEntries(fields.map((field) => [field, Number(record[field])] as const));
        const isMisflagged = this.#wrongFlags(record, counts).length > 0;
        this.#counters.set(String(record.id), { number, counts, isMisflagged });
      }
      for (const [source, byId] of counted) {
        const id = record[source.by];
        if (typeof id !== 'string' || !counts(source, record)) continue;
        const numbers = byId.get(id);
        if (numbers === undefined) byId.set(id, [number]);
        else numbers.push(number);
      }
    };
  }

  verify(): Promise<Verified[]> {
    const suspected = [...this.#counters].filter(
      ([id, { counts, isMisflagged }]) =>
        isMisflagged ||
        Object.entries(this.#kind.counters).some(([field, sources]) => counts[field] !== this.#scanned(id, sources)),
    );
    return concurrently(suspected, ([id, { number }]) => verifyUntilStable(this.#scope, () => this.#look(id, number)));
  }

  #scanned(id: string, sources: readonly Counted[]): number {
    return sources.reduce((sum, source) => sum + (this.#counted.get(source)?.get(id)?.length ?? 0), 0);
  }

  /** Counts again. If `MOVES` is the same before and after, nothing has changed in between: every change of a counter raises it. */
  async #look(id: string, number: number): Promise<Comparison | Moved> {
    const { entity, counters } = this.#kind;
    const key: Key = { PK: recordsPartition(this.#scope.tenant, entity.name), SK: ids.sortKeyOf(number) };
    const before = await readItem(this.#scope, key);
    if (before?.id !== id) return { differences: [] };
    const counted = await this.#recount(id, before);
    const wrong = counted.filter((each) => each.stored !== each.counted);
    const wrongFlags = this.#wrongFlags(before, Object.fromEntries(counted.map((each) => [each.field, each.counted])));
    const after = await readItem(this.#scope, key);
    if (after?.[MOVES] !== before[MOVES])
      return new Moved({ entity: entity.name, id, text: `${entity.name} ${id} changes too fast to be counted` });
    const difference = (kind: Difference['kind'], field: string, text: string): Difference => ({
      kind,
      entity: entity.name,
      id,
      field,
      text: `${entity.name} ${id} ${field} ${text}`,
    });
    const differences = [
      ...wrong.map((each) => difference('counter', each.field, `is ${each.stored}, counted are ${each.counted}`)),
      ...wrongFlags.map(({ flag, isTrue }) =>
        difference('wrong-note', flag, isTrue ? 'is not stored, and there are some' : 'is stored, and there are none'),
      ),
    ];
    const asRead = Object.fromEntries(Object.keys(counters).map((field) => [field, before[field]]));
    return {
      differences,
      repair: (work) => {
        work.update(key, {
          set: Object.fromEntries(wrong.map((each) => [each.field, each.counted])),
          condition: { equals: { id, [MOVES]: before[MOVES], ...asRead } },
          onConditionFailed: changed,
        });
        for (const flag of wrongFlags) stageFlag(work, this.#list, before, flag, changed);
      },
    };
  }

  /** The flags that are others than these counts, of a record that is listed by them: others are built with their filter (`filters.ts`). */
  #wrongFlags(record: Item, counts: Readonly<Record<string, number>>) {
    const noted = indexes.namesIn(record);
    return this.#list.counted.flatMap(({ name: flag, counter }) => {
      const isTrue = (counts[counter] ?? 0) > 0;
      return noted.includes(flag) && (record[flag] === true) !== isTrue ? [{ flag, isTrue }] : [];
    });
  }

  async #recount(id: string, stored: Item) {
    const counting = Object.entries(this.#kind.counters).map(async ([field, sources]) => {
      const counts = await Promise.all(sources.map((source) => this.#countOf(source, id)));
      return { field, stored: Number(stored[field]), counted: counts.reduce((sum, count) => sum + count, 0) };
    });
    return Promise.all(counting);
  }

  /** Counts the records of the scan, and newer ones, which are in the set of the filter. */
  async #countOf(source: Counted, id: string): Promise<number> {
    const { entity, by } = source;
    const partition = recordsPartition(this.#scope.tenant, entity.name);
    const items: Item[] = [];
    for await (const item of readPartition(this.#scope, storedSets.partitionOf(partition, by, id))) items.push(item);
    const since = differing(new ExpectedSet(), NumberSet.ofItems(items));
    const numbers = new Set([...(this.#counted.get(source)?.get(id) ?? []), ...since]);
    const records = await recordsByNumber(this.#scope, partition, [...numbers]);
    return [...records.values()].filter((record) => record[by] === id && counts(source, record)).length;
  }
}

const counts = ({ entity, when }: Counted, record: Item): boolean =>
  when === undefined || when(toRecord(entity, record));
