import { type Item, ids, type ListSource, readEntries, type Table } from '#lists';
import { type TenantId, uniqueKey } from '../keys.ts';
import type { Entity, Exact } from './entity.ts';
import {
  hashedFieldsOf,
  hashOf,
  holderIn,
  notedIn,
  valueEntriesOf,
  valueFieldOf,
  valueIndexOf,
} from './list-indexes.ts';

/**
 * Records by the exact value of a field. A unique field has claims, and an integration its credentials: items whose keys have the value, so that one
 * read finds the record. Other fields have an entry for each record, `<hash of the value>\n<number>`: values are longer than a key may be.
 */

type Lookup = ListSource['lookups'][number];

/**
 * The ids of up to two records with a value of a field that has entries. Strongly consistent.
 * @throws ListNotBuilt
 */
export async function idsWith(table: Table, list: string, field: string, value: string): Promise<readonly string[]> {
  const index = valueIndexOf(field);
  const found = await readEntries(
    table,
    list,
    { entries: valueEntriesOf(field), index, name: field },
    hashOf(value),
    2,
  );
  return found.map(holderIn);
}

/**
 * The value that an upsert has claimed for a record, so that two at once make one record: `external_id=<hash>`. The record keeps it, and releases the
 * claim when the value changes or the record is deleted. Records that were created otherwise claim nothing, and several may have one value.
 */
export const CLAIMED = 'CLAIMED';

export { hashedFieldsOf };

/** Whether a record has a field that is found by entries. */
export const isFoundByValue = (item: Item): boolean => notedIn(item).some((index) => valueFieldOf(index) !== undefined);

/** Field and hash of a claim that a record keeps. */
export function claimedIn(item: Item): readonly [field: string, hash: string] | undefined {
  const { [CLAIMED]: claimed } = item;
  if (typeof claimed !== 'string') return undefined;
  const end = claimed.indexOf('=');
  return [claimed.slice(0, end), claimed.slice(end + 1)];
}

export const claimOf = (field: string, value: string): string => `${field}=${hashOf(value)}`;

/** Whether a record has the value that it has claimed. */
export function isClaimOfOwn(item: Item): boolean {
  const [field = '', hashed] = claimedIn(item) ?? [];
  const value = item[field];
  return typeof value === 'string' && hashOf(value) === hashed;
}

/** Values to find, by field; undefined ones are ignored. */
export type ExactValues = { readonly [field in string]?: string | undefined };

/** Most records of one value that are found: entries are short, and such a page takes about 50 read units. */
const MOST_RECORDS = 2_000;

export class ExactLookups<T extends object> {
  readonly #tenant: TenantId;
  readonly #entity: Entity<T>;
  readonly #wanted: readonly (readonly [field: string, how: Exact, value: string])[];

  /** @throws TypeError when the entity does not declare a field */
  constructor(tenant: TenantId, entity: Entity<T>, values: ExactValues) {
    this.#tenant = tenant;
    this.#entity = entity;
    this.#wanted = Object.entries(values).flatMap(([field, value]) => {
      if (value === undefined) return [];
      const how = (entity.exact as Readonly<Record<string, Exact | undefined>>)[field];
      if (how === undefined) throw new TypeError(`${entity.name} is not found by ${field}`);
      return [[field, how, this.#normalized(field, value)] as const];
    });
  }

  get lookups(): readonly Lookup[] {
    return this.#wanted.map(([field, how, value]) => {
      const decided = { byEntry: () => undefined, byRecord: (record: Item) => this.#has(record, field, value) };
      const exact = { name: field, decided, isExact: true };
      if (how !== 'hashed') return { ...exact, ranges: [this.#itemOf(field, how, value)], most: 1, indexes: [] };
      const texts = { from: hashOf(value), to: hashOf(value) };
      const ranges = [{ in: { index: valueEntriesOf(field) }, texts }];
      return { ...exact, ranges, most: MOST_RECORDS, indexes: [valueIndexOf(field)] };
    });
  }

  /** Whether a record has all values. */
  matches(record: Item): boolean {
    return this.#wanted.every(([field, , value]) => this.#has(record, field, value));
  }

  #has(record: Item, field: string, value: string): boolean {
    const own = record[field];
    return typeof own === 'string' && this.#normalized(field, own) === value;
  }

  #itemOf(field: string, how: Exclude<Exact, 'hashed'>, value: string) {
    const { key, id } =
      how === 'claimed'
        ? { key: uniqueKey(this.#tenant, this.#entity.name, field, value), id: 'holder' }
        : how(this.#tenant, value);
    return { key, numberOf: (item: Item) => ids.numberOf(String(item[id])) };
  }

  /** As a unique field compares it. */
  #normalized(field: string, value: string): string {
    const unique: Readonly<Record<string, ((value: string) => string) | undefined>> = this.#entity.unique;
    return unique[field]?.(value) ?? value;
  }
}
