import type { Table } from '../connection/client.ts';
import { ListNotBuilt } from '../errors.ts';
import { HEAD, setPartition } from '../keys.ts';
import type { Item } from '../schema.ts';
import { builtIn, type List } from './head.ts';
import { Members, NumberSet } from './number-set.ts';
import { floorOf } from './periods.ts';
import { readHead, readSet } from './read-set.ts';

/** The numbers of a list's matching records: the first round of reading a page. */

/** Values by field, as texts. */
export interface Filter {
  readonly [field: string]: string;
}

/** A list as its readers know it. */
export interface ListSource extends List {
  readonly filter: Filter;
  /** Whether a record has the values of the filter. */
  readonly matches: (item: Item) => boolean;
}

/** A list's numbers, as read at one moment. */
export interface View {
  readonly head: Item;
  /** The numbers without a record; only for an unfiltered list. */
  readonly gaps: NumberSet;
  /** The numbers of the matching records; only for a filtered list. */
  readonly included: NumberSet | undefined;
  /** All items of the sets that were read. */
  readonly items: readonly Item[];
}

/** Whether it is the list of all records. */
export const isWhole = ({ filter }: ListSource): boolean => Object.keys(filter).length === 0;

/** @throws ListNotBuilt for a filter whose sets lack older records */
export async function readView(table: Table, source: ListSource): Promise<View> {
  const { partition, filter, retentionDays } = source;
  if (isWhole(source)) {
    const items = await readSet(table, setPartition(partition));
    return {
      head: items.find(({ SK }) => SK === HEAD) ?? {},
      gaps: NumberSet.ofItems(items),
      included: undefined,
      items,
    };
  }
  const [head, sets] = await Promise.all([
    readHead(table, partition, retentionDays !== undefined),
    Promise.all(Object.entries(filter).map(([field, value]) => readSet(table, setPartition(partition, field, value)))),
  ]);
  assertBuilt(head, source);
  const included = NumberSet.common(sets.map((items) => NumberSet.ofItems(items)));
  return { head, gaps: NumberSet.EMPTY, included, items: sets.flat() };
}

/** A list without a head has no records yet. */
function assertBuilt(head: Item, { partition, filter }: ListSource): void {
  if (head.NEXT === undefined) return;
  const built = builtIn(head);
  const missing = Object.keys(filter).filter((field) => !built.includes(field));
  if (missing.length > 0) throw new ListNotBuilt(partition, missing);
}

export function membersOf(
  { retentionDays }: List,
  { head, gaps, included }: View,
  absent: ReadonlySet<number>,
  now: number,
): Members {
  const next = included === undefined ? Number(head.NEXT ?? 0) : Number.MAX_SAFE_INTEGER;
  const floor = retentionDays === undefined ? 0 : floorOf(head, next, now);
  return new Members({ from: floor, to: next, included, excluded: gaps, absent });
}
