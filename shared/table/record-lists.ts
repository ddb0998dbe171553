import type { Entity } from './entity.ts';
import { filteredList } from './keys.ts';
import { idPrefix, numberOf } from './lists/ids.ts';
import type { ListSource } from './lists/page.ts';
import type { Filter } from './records.ts';
import { listIndex } from './schema.ts';

/** The lists in which records of one kind stand: that of them all, which is the table itself, and one for each filter. */
export class RecordLists<T extends object> {
  readonly #entity: Entity<T>;
  /** Where the records are, and the list of them all. */
  readonly #partition: string;

  constructor(entity: Entity<T>, partition: string) {
    this.#entity = entity;
    this.#partition = partition;
  }

  /** The filter lists that a record with these fields stands in, by slot; undefined where a field of the filter is null. */
  of(fields: Partial<T>): (string | undefined)[] {
    return this.#entity.filters.map((combination) => {
      const values = combination.map((field) => fields[field]);
      return values.every((value) => value !== null && value !== undefined)
        ? this.#filtered(combination, fields)
        : undefined;
    });
  }

  /** The list that a filter picks. @throws Error when the entity declares no such filter */
  source(filter: Filter): ListSource {
    const fields = Object.keys(filter).filter((field) => filter[field] !== undefined);
    const { retentionDays } = this.#entity;
    if (fields.length === 0) {
      return { ...(this.#entity.numericId ? byNumber : byId), list: this.#partition, retentionDays };
    }
    const slot = this.#entity.filters.findIndex((declared) => hasSameMembers(declared, fields));
    const combination = this.#entity.filters[slot];
    if (combination === undefined) throw new Error(`${this.#entity.name} has no list by ${fields.join(' and ')}`);
    const index = listIndex(slot + 1);
    return {
      list: this.#filtered(combination, filter as Partial<T>),
      index,
      bounds: (first, last) => [first, last],
      numberOf: (item) => Number(item[index.sort]),
      retentionDays,
    };
  }

  #filtered(combination: readonly (keyof T & string)[], values: Partial<T>): string {
    return filteredList(
      this.#partition,
      Object.fromEntries(combination.map((field) => [field, String(values[field])])),
    );
  }
}

const hasSameMembers = (declared: readonly string[], fields: readonly string[]): boolean =>
  declared.length === fields.length && fields.every((field) => declared.includes(field));

/** Sort key of a record whose id is its number, counted from 1. */
export const numericKey = (id: number): string => sortable(id - 1);

const sortable = (number: number): string => number.toString(16).padStart(12, '0');

const byId: Omit<ListSource, 'list'> = {
  bounds: (first, last) => [idPrefix(first), `${idPrefix(last)}~`],
  numberOf: (item) => numberOf(String(item.SK)),
};

const byNumber: Omit<ListSource, 'list'> = {
  bounds: (first, last) => [sortable(first), sortable(last)],
  numberOf: (item) => Number.parseInt(String(item.SK), 16),
};
