import { bitPlace } from './bits.ts';
import type { WantedClause } from './clause-read.ts';
import { builtFilters, COUNTER, type List, largestNoted, readCounterItem } from './counter-item.ts';
import { ListNotBuilt } from './errors.ts';
import { decideByRecords, type Lookup, type Matched, readMatching, tooManyMatches } from './lookups.ts';
import { Members, NumberSet } from './number-set.ts';
import type { Order } from './order-scan.ts';
import { floorOf } from './periods.ts';
import { readSet } from './queries.ts';
import type { Reading } from './read-budget.ts';
import { readSets } from './read-sets.ts';
import type { Item } from './schema.ts';
import * as storedSets from './stored-sets.ts';
import type { Table } from './table.ts';

/** The numbers of a list's matching records: the first round trip of reading a page. */

/** The records that have any of some values of a field, or those that have none of them. */
export interface Clause {
  readonly field: string;
  /** Distinct texts, at least one. */
  readonly anyOf: readonly string[];
  readonly isExcluded?: boolean;
}

/** A list as its readers know it: the AND of its clauses and lookups. */
export interface ListSource extends List {
  readonly clauses: readonly Clause[];
  readonly lookups: readonly Lookup[];
  /** By what its records are sorted, if not by their numbers. */
  readonly order?: Order | undefined;
  /** The field with the time of a record's creation. */
  readonly createdAt: string;
  /** Whether a record is in all of the clauses and lookups. */
  readonly matches: (item: Item) => boolean;
}

/** A list's numbers, as read at one moment. */
export interface View {
  readonly counter: Item;
  /** The numbers without a record; only for a list that is not {@link isBounded}. */
  readonly gaps: NumberSet;
  /** The items of the gaps. */
  readonly gapItems: readonly Item[];
  /** The numbers of the records in the clauses and lookups; only for a list that is {@link isBounded}. */
  readonly included: NumberSet | undefined;
  /** The numbers of records with a value that they must not have. */
  readonly excluded: NumberSet;
  /** All items of the clauses' sets that were read. */
  readonly items: readonly Item[];
}

/** Whether its records are in sets. All others are the numbers that were allocated, without some. */
export const isBounded = ({ clauses, lookups }: ListSource): boolean =>
  lookups.length > 0 || clauses.some(({ isExcluded }) => isExcluded !== true);

/** Whether it is the list of all records. */
export const isWhole = ({ clauses, lookups }: ListSource): boolean => clauses.length === 0 && lookups.length === 0;

/**
 * @param now epoch milliseconds
 * @throws ListNotBuilt for a filter whose sets lack older records
 * @throws TooManyMatches
 */
export async function readView(
  table: Table,
  source: ListSource,
  now: number,
  timeLimit: Reading = { clock: () => now, deadline: Number.POSITIVE_INFINITY },
): Promise<View> {
  if (isWhole(source)) return readWhole(table, source);
  const { view, open } = await readFiltered(table, source);
  if (open === undefined) return view;
  // Of some members only the records say whether the lookups find them.
  const members = membersOf(source, view, new Set(), now);
  const largest = largestNoted(view.counter);
  const numbers = await decideByRecords(table, source, { members, open, largest }, timeLimit);
  return { ...view, included: NumberSet.ofNumbers(numbers) };
}

async function readWhole(table: Table, { partition }: ListSource): Promise<View> {
  const gapItems = await readSet(table, storedSets.partitionOf(partition));
  return {
    ...NOTHING,
    counter: gapItems.find(({ SK }) => SK === COUNTER) ?? {},
    gaps: NumberSet.ofItems(gapItems),
    gapItems,
    included: undefined,
  };
}

const NOTHING = { gaps: NumberSet.EMPTY, gapItems: [], excluded: NumberSet.EMPTY, items: [] } as const;

/** @returns with the numbers of which only the records say whether the lookups find them, or all; undefined where there are none */
async function readFiltered(
  table: Table,
  source: ListSource,
): Promise<{ readonly view: View; readonly open?: Matched['open'] }> {
  const { partition, lookups, retentionDays } = source;
  const whole = isBounded(source) ? undefined : readWhole(table, source);
  const counter = whole?.then((view) => view.counter) ?? readCounterItem(table, partition, retentionDays !== undefined);
  const matching = lookups.length === 0 ? undefined : readMatching(table, partition, lookups);
  const next = () => counter.then(({ NEXT: number }) => Number(number ?? 0));
  const clauses = readSets(table, wantedBy(source), matching?.then(placesOf), next);
  const [read, sets, found, all] = await Promise.all([counter, clauses, matching, whole]);
  assertBuilt(read, source);
  const matched = found?.numbers === undefined ? [] : [NumberSet.ofNumbers([...found.numbers])];
  const setsWhere = (isExcluded: boolean): NumberSet[] =>
    sets.flatMap((each) => (each.isExcluded === isExcluded ? [each.numbers] : []));
  const items = sets.flatMap((each) => each.items);
  const view = { ...NOTHING, counter: read, excluded: NumberSet.either(setsWhere(true)), items };
  if (all !== undefined) return { view: { ...view, included: undefined, gaps: all.gaps, gapItems: all.gapItems } };
  const bounding = [...setsWhere(false), ...matched];
  if (bounding.length === 0) throw tooManyMatches(lookups);
  return { view: { ...view, included: NumberSet.common(bounding) }, open: found?.open };
}

/** The sets of the values that the records have, and of those that they do not have. */
const wantedBy = ({ partition, clauses }: ListSource): WantedClause[] =>
  clauses.map(({ field, anyOf, isExcluded = false }) => ({
    isExcluded,
    sets: anyOf.map((value) => storedSets.partitionOf(partition, field, value)),
  }));

/** The sort keys of the items with the bits of what lookups find, where that is known. */
const placesOf = ({ numbers }: Matched): ReadonlySet<string> | undefined =>
  numbers === undefined ? undefined : new Set(Array.from(numbers, (number) => bitPlace(number).sortKey));

/** A list without a counter item has no records yet. */
function assertBuilt(counter: Item, { partition, clauses, lookups }: ListSource): void {
  if (counter.NEXT === undefined) return;
  const built = builtFilters(counter);
  const needed = [
    ...clauses.map(({ field }) => ({ name: field, indexes: [field] })),
    ...lookups.map(({ name, indexes }) => ({ name, indexes })),
  ];
  const missing = needed.filter(({ indexes }) => indexes.some((index) => !built.includes(index)));
  if (missing.length > 0) throw new ListNotBuilt(partition, [...new Set(missing.map(({ name }) => name))]);
}

/** The members of a list. */
export function membersOf(list: List, view: View, absent: ReadonlySet<number>, now: number): Members {
  const { gaps, included, excluded } = view;
  const { from, to } = rangeOf(list, view, now);
  return new Members({ from, to, included, excluded: NumberSet.either([gaps, excluded]), absent });
}

/** The first number that may be a member, and one after the last. */
function rangeOf({ retentionDays }: List, { counter, included }: View, now: number) {
  const to = included === undefined ? Number(counter.NEXT ?? 0) : Number.MAX_SAFE_INTEGER;
  return { from: retentionDays === undefined ? 0 : floorOf(counter, to, now), to };
}
