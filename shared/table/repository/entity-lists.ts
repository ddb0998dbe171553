import { setPartition } from '../keys.ts';
import type { List } from '../lists/head.ts';
import { stageEntry, stageExit } from '../lists/set-writes.ts';
import type { Filter as ListFilter, ListSource } from '../lists/view.ts';
import type { Item } from '../schema.ts';
import type { UnitOfWork } from '../transaction/unit-of-work.ts';
import type { Entity } from './entity.ts';
import type { Filter } from './records.ts';

/** Attribute of a record: the fields whose sets contain its number, separated by spaces. */
export const SETS = 'SETS';

/** The fields whose sets contain a record's number, according to its `SETS`. */
export const notedIn = (record: Item | undefined): string[] =>
  String(record?.[SETS] ?? '')
    .split(' ')
    .filter((field) => field !== '');

/** The `SETS` attribute of a record that is in the sets of these fields. */
export const noteOf = (fields: readonly string[]): Item => (fields.length === 0 ? {} : { [SETS]: fields.join(' ') });

/** The lists of the records in one partition: all records, and those with each value of each filter. */
export class EntityLists<T extends object> {
  readonly #entity: Entity<T>;
  readonly #partition: string;

  constructor(entity: Entity<T>, partition: string) {
    this.#entity = entity;
    this.#partition = partition;
  }

  get list(): List {
    const { filters, retentionDays } = this.#entity;
    return { partition: this.#partition, filters, retentionDays };
  }

  /**
   * The list of a filter.
   * @throws TypeError when the entity declares no such filter
   */
  source(filter: Filter): ListSource {
    const given = Object.entries(filter).flatMap(([field, value]) =>
      value === undefined ? [] : [[field, String(value)]],
    );
    const unknown = given.find(([field]) => !this.#entity.filters.some((declared) => declared === field));
    if (unknown !== undefined) throw new TypeError(`${this.#entity.name} has no filter ${unknown[0]}`);
    const values = Object.fromEntries(given) as ListFilter;
    return {
      ...this.list,
      filter: values,
      matches: (item) => Object.entries(values).every(([field, value]) => textOf(item[field]) === value),
    };
  }

  /**
   * The fields whose sets contain a record's number after a write: the declared filters, and those of another release, as the record or, for a
   * new one, the list's head says. So the sets stay right while two releases run and one declares a further filter.
   */
  kept(byOthers: readonly string[]): readonly string[] {
    return [...new Set<string>([...this.#entity.filters, ...byOthers])];
  }

  /** Stages the changes of sets: from those in the record's `SETS`, by its fields before, to those it is `kept` in, by its fields after. */
  stageMove(work: UnitOfWork, entry: ListEntry, before: Item | undefined, after: Partial<T> | undefined): void {
    const noted = notedIn(before);
    for (const field of entry.kept) {
      const left = noted.includes(field) ? textOf(before?.[field]) : undefined;
      const entered = textOf((after as Item | undefined)?.[field]);
      if (left === entered) continue;
      const { number, expires } = entry;
      const move = { number, expires };
      if (left !== undefined) stageExit(work, { ...move, set: setPartition(this.#partition, field, left) });
      if (entered !== undefined) stageEntry(work, { ...move, set: setPartition(this.#partition, field, entered) });
    }
  }
}

/** A record in its list. */
interface ListEntry {
  readonly number: number;
  /** Expiry in epoch seconds, where the record expires. */
  readonly expires: number | undefined;
  /** Fields whose sets are kept up to date. */
  readonly kept: readonly string[];
}

/** The name of a value's set; undefined for null, which has no set. */
export const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : String(value);
