import * as parameter from '#contract/parameter';
import { type Item, ids, type List, type ListSource, storedSets, type UnitOfWork } from '#lists';
import { folded } from '../../folded.ts';
import { type TenantId, uniqueKey } from '../keys.ts';
import type { Entity } from './entity.ts';
import { isFlag, TRUE } from './flags.ts';
import {
  indexedValueIn,
  indexesOf,
  notedIn,
  prefixFieldOf,
  prefixIndexesOf,
  summaryFieldOf,
  summaryIndexOf,
  textOf,
} from './list-indexes.ts';
import type { Filter } from './records.ts';

/** The lists of the records in one partition: all records, those with each value of each filter, and those with a prefix. */
export class EntityLists<T extends object> {
  readonly #tenant: TenantId;
  readonly #entity: Entity<T>;
  readonly #partition: string;

  constructor(tenant: TenantId, entity: Entity<T>, partition: string) {
    this.#tenant = tenant;
    this.#entity = entity;
    this.#partition = partition;
  }

  get list(): List {
    const { retentionDays, ordered } = this.#entity;
    return { partition: this.#partition, filters: indexesOf(this.#entity), retentionDays, ordered };
  }

  /**
   * The list of a filter, and of a prefix.
   * @throws TypeError when the entity declares no such filter
   */
  source(filter: Filter, text?: string): ListSource {
    const given = Object.entries(filter).flatMap(([field, value]) =>
      value === undefined ? [] : [[field, String(value)] as const],
    );
    const unknown = given.find(([field]) => !this.#entity.filters.some((declared) => declared === field));
    if (unknown !== undefined) throw new TypeError(`${this.#entity.name} has no filter ${unknown[0]}`);
    const isWithout = ([field, value]: readonly [string, string]): boolean =>
      isFlag(this.#entity, field) && value !== TRUE;
    const values = Object.fromEntries(given.filter((each) => !isWithout(each)));
    // The records for which a flag is not true are all others.
    const without = Object.fromEntries(given.filter(isWithout).map(([field]) => [field, TRUE]));
    const prefix = text === undefined ? undefined : this.#prefixOf(text);
    return {
      ...this.list,
      filter: values,
      without,
      prefix,
      summaryOf: (field) => (this.#entity.summaries.some((one) => one === field) ? summaryIndexOf(field) : undefined),
      createdAt: this.#entity.createdAt,
      matches: (item) =>
        Object.entries(values).every(([field, value]) => textOf(item[field]) === value) &&
        Object.entries(without).every(([field, value]) => textOf(item[field]) !== value) &&
        (prefix === undefined || this.#begins(item, prefix.text)),
    };
  }

  #prefixOf(text: string): NonNullable<ListSource['prefix']> {
    const fields = Object.entries(this.#entity.prefixes);
    if (fields.length === 0) throw new TypeError(`${this.#entity.name} declares no prefixes`);
    const ranges = fields.map(([field, how]) => {
      if (how === 'indexed') return { index: field };
      const { PK: claims } = uniqueKey(this.#tenant, this.#entity.name, field, '');
      return { partition: claims, numberOf: ({ holder }: Item) => ids.numberOf(String(holder)) };
    });
    return { name: parameter.PREFIX, text: folded(text), ranges, indexes: prefixIndexesOf(this.#entity) };
  }

  #begins(item: Item, text: string): boolean {
    return Object.keys(this.#entity.prefixes).some((field) => {
      const value = textOf(item[field]);
      return value !== undefined && folded(value).startsWith(text);
    });
  }

  /**
   * The indexes of a record after a write: those that this version of the service declares, and those that only another
   * version declares. The record notes the latter; for a new record, the list's counter item does. So lists stay
   * correct while two versions run and one of them declares a further filter.
   */
  kept(byOthers: readonly string[]): readonly string[] {
    return [...new Set<string>([...indexesOf(this.#entity), ...byOthers])];
  }

  /** Filters among these that another version of the service declares and this one does not. */
  filtersOfOthers(kept: readonly string[]): readonly string[] {
    const declared = indexesOf(this.#entity);
    const isFilter = (index: string): boolean => 'filter' in listedBy(index);
    return kept.filter((index) => !declared.includes(index) && isFilter(index));
  }

  /** Stages the changes of sets: the record leaves those of its `SETS`, by its fields before, and enters those it is `kept` in, by its fields after. */
  stageMove(work: UnitOfWork, entry: ListEntry, before: Item | undefined, after: Partial<T> | undefined): void {
    const noted = notedIn(before);
    const listed = { partition: this.#partition, number: entry.number, expires: entry.expires };
    for (const index of entry.kept) {
      const left = noted.includes(index) ? indexedValueIn(before, index) : undefined;
      const entered = indexedValueIn(after as Item | undefined, index);
      if (left !== entered) storedSets.stageMove(work, { ...listed, by: listedBy(index) }, left, entered);
    }
  }
}

/** The list of an index (`list-indexes.ts`). */
function listedBy(index: string): Parameters<typeof storedSets.stageMove>[1]['by'] {
  const [prefix, summary] = [prefixFieldOf(index), summaryFieldOf(index)];
  if (prefix !== undefined) return { prefix };
  return summary === undefined ? { filter: index } : { summary };
}

/** A record in its list. */
interface ListEntry {
  readonly number: number;
  /** Expiry in epoch seconds, where the record expires. */
  readonly expires: number | undefined;
  /** Its indexes (`list-indexes.ts`). */
  readonly kept: readonly string[];
}
