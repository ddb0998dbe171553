import { setPartition } from '../keys.ts';
import type { List } from '../lists/head.ts';
import { stageEntry, stageExit } from '../lists/set-writes.ts';
import type { Filter as ListFilter, ListSource } from '../lists/view.ts';
import type { Item } from '../schema.ts';
import type { UnitOfWork } from '../transaction/unit-of-work.ts';
import type { Entity } from './entity.ts';
import type { Filter } from './records.ts';

/** Attribute of a record: the fields whose sets hold its number, with spaces between. */
export const SETS = 'SETS';

/** The fields whose sets hold a record's number. */
export const notedIn = (record: Item | undefined): string[] =>
  String(record?.[SETS] ?? '')
    .split(' ')
    .filter((field) => field !== '');

/** What a record notes that stands in the sets of these fields. */
export const noteOf = (fields: readonly string[]): Item => (fields.length === 0 ? {} : { [SETS]: fields.join(' ') });

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

  /**
   * The fields whose sets hold a record's number once it is written: those declared, and those that others keep for it, as the record notes or, for
   * a new one, the list's head. So the sets stay right while two releases are at work of which one declares a filter more.
   */
  kept(byOthers: readonly string[]): readonly string[] {
    return [...new Set<string>([...this.#entity.filters, ...byOthers])];
  }

  /** Stages that a record enters, changes and leaves sets: from those it noted, by its fields before, to those it is `kept` in, by its fields after. */
  stageMove(work: UnitOfWork, place: Standing, before: Item | undefined, after: Partial<T> | undefined): void {
    const noted = notedIn(before);
    for (const field of place.kept) {
      const left = noted.includes(field) ? textOf(before?.[field]) : undefined;
      const entered = textOf((after as Item | undefined)?.[field]);
      if (left === entered) continue;
      const { number, expires } = place;
      const move = { number, expires };
      if (left !== undefined) stageExit(work, { ...move, set: setPartition(this.#partition, field, left) });
      if (entered !== undefined) stageEntry(work, { ...move, set: setPartition(this.#partition, field, entered) });
    }
  }
}

/** Where a record stands. */
interface Standing {
  readonly number: number;
  /** When it is gone, in epoch seconds, where it expires. */
  readonly expires: number | undefined;
  /** Fields whose sets it enters and leaves. */
  readonly kept: readonly string[];
}

/** A value as the name of its set; a record without one is in no set of the field. */
export const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : String(value);
