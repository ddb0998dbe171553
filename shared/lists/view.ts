import { builtFilters, COUNTER, type List, readCounterItem } from './counter-item.ts';
import { ListNotBuilt } from './errors.ts';
import { Members, NumberSet } from './number-set.ts';
import { floorOf } from './periods.ts';
import { readNumbersByPrefix, type TextRange } from './prefix-index.ts';
import { readSet } from './queries.ts';
import type { Item } from './schema.ts';
import * as storedSets from './stored-sets.ts';
import type { Table } from './table.ts';

/** The numbers of a list's matching records: the first round trip of reading a page. */

/** Values by field, as texts. */
interface FilterTexts {
  readonly [field: string]: string;
}

/** A prefix that one of several texts of a record has. */
interface Prefix {
  /** The API's name of the filter, for {@link ListNotBuilt}. */
  readonly name: string;
  /** Folded. */
  readonly text: string;
  readonly ranges: readonly TextRange[];
  /** The indexes among the ranges, as the counter item names them. */
  readonly indexes: readonly string[];
}

/** A list as its readers know it. */
export interface ListSource extends List {
  readonly filter: FilterTexts;
  readonly prefix?: Prefix | undefined;
  /** The field with the time of a record's creation. */
  readonly createdAt: string;
  /** Whether a record has the values of the filter, and the prefix. */
  readonly matches: (item: Item) => boolean;
}

/** A list's numbers, as read at one moment. */
export interface View {
  readonly counter: Item;
  /** The numbers without a record; only for an unfiltered list. */
  readonly gaps: NumberSet;
  /** The numbers of the matching records; only for a filtered list. */
  readonly included: NumberSet | undefined;
  /** All items of the sets that were read. */
  readonly items: readonly Item[];
}

/** Whether it is the list of all records. */
export const isWhole = ({ filter, prefix }: ListSource): boolean =>
  Object.keys(filter).length === 0 && prefix === undefined;

/**
 * @throws ListNotBuilt for a filter whose sets lack older records
 * @throws TooManyMatches
 */
export async function readView(table: Table, source: ListSource): Promise<View> {
  const { partition, filter, prefix, retentionDays } = source;
  if (isWhole(source)) {
    const items = await readSet(table, storedSets.partitionOf(partition));
    return {
      counter: items.find(({ SK }) => SK === COUNTER) ?? {},
      gaps: NumberSet.ofItems(items),
      included: undefined,
      items,
    };
  }
  const [counter, sets, matching] = await Promise.all([
    readCounterItem(table, partition, retentionDays !== undefined),
    Promise.all(
      Object.entries(filter).map(([field, value]) => readSet(table, storedSets.partitionOf(partition, field, value))),
    ),
    prefix === undefined ? [] : readMatching(table, partition, prefix),
  ]);
  assertBuilt(counter, source);
  const included = NumberSet.common([...sets.map((items) => NumberSet.ofItems(items)), ...matching]);
  return { counter, gaps: NumberSet.EMPTY, included, items: sets.flat() };
}

/** The numbers of the records that have the prefix in any of their texts, as one set. */
async function readMatching(table: Table, list: string, { text, ranges }: Prefix): Promise<[NumberSet]> {
  const numbers = await Promise.all(ranges.map((range) => readNumbersByPrefix(table, list, range, text)));
  return [NumberSet.ofNumbers(numbers.flat())];
}

/** A list without a counter item has no records yet. */
function assertBuilt(counter: Item, { partition, filter, prefix }: ListSource): void {
  if (counter.NEXT === undefined) return;
  const built = builtFilters(counter);
  const missing = Object.keys(filter).filter((field) => !built.includes(field));
  if (prefix?.indexes.some((index) => !built.includes(index)) === true) missing.push(prefix.name);
  if (missing.length > 0) throw new ListNotBuilt(partition, missing);
}

export function membersOf(
  { retentionDays }: List,
  { counter, gaps, included }: View,
  absent: ReadonlySet<number>,
  now: number,
): Members {
  const next = included === undefined ? Number(counter.NEXT ?? 0) : Number.MAX_SAFE_INTEGER;
  const floor = retentionDays === undefined ? 0 : floorOf(counter, next, now);
  return new Members({ from: floor, to: next, included, excluded: gaps, absent });
}
