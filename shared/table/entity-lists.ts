import type { Entity } from './entity.ts';
import { setPartition } from './keys.ts';
import type { List } from './lists/head.ts';
import type { Filter as ListFilter, ListSource } from './lists/page.ts';
import { stageEntry, stageExit } from './lists/set-writes.ts';
import type { Filter } from './records.ts';
import type { Item } from './staged.ts';
import type { Work } from './work.ts';

/** Attribute of a record: the fields whose sets hold its number, with spaces between. */
export const SETS = 'SETS';

/** The lists of the records of one kind in one place: all of them, and those that each value of each filter field picks. */
export class EntityLists<T extends object> {
  readonly #entity: Entity<T>;
  /** Where the records are. */
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
   * The list that a filter picks.
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

  /** What a new record notes of the sets that it enters. */
  get noted(): Item {
    return this.#entity.filters.length === 0 ? {} : { [SETS]: this.#entity.filters.join(' ') };
  }

  /** Stages that a record enters, changes and leaves sets: from those it noted, by its fields before, to those by its fields after. */
  stageMove(
    work: Work,
    number: number,
    before: Item | undefined,
    after: Partial<T> | undefined,
    expires?: number,
  ): void {
    const noted = String(before?.[SETS] ?? '').split(' ');
    for (const field of this.#entity.filters) {
      const left = noted.includes(field) ? textOf(before?.[field]) : undefined;
      const entered = textOf(after?.[field]);
      if (left === entered) continue;
      const place = { number, expires };
      if (left !== undefined) stageExit(work, { ...place, set: setPartition(this.#partition, field, left) });
      if (entered !== undefined) stageEntry(work, { ...place, set: setPartition(this.#partition, field, entered) });
    }
  }
}

/** A value as the name of its set; a record without one is in no set of the field. */
const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : String(value);
