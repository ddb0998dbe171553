import { bitPlace } from './bits.ts';
import { builtFilters, COUNTER, type List, readCounterItem } from './counter-item.ts';
import { isPast } from './grace-period.ts';
import type { Clause } from './indexes/list-index.ts';
import { type Candidates, readLookups } from './indexes/lookup.ts';
import { Members, NumberSet } from './number-set.ts';
import { floorOf } from './periods.ts';
import { readSet } from './queries.ts';
import { type Condition, isInSets, isWhole, type ListQuery } from './query.ts';
import type { Reading } from './read-budget.ts';
import { readSets } from './read-sets.ts';
import type { Item } from './schema.ts';
import * as storedSets from './stored-sets.ts';
import type { Table } from './table.ts';

/** The numbers of a list's matching records: the first round trip of reading a page. */

/** A list's numbers, as read at one moment. */
export interface View {
  readonly counter: Item;
  /** The numbers without a record, where not only such with one are {@link included}. */
  readonly gaps: NumberSet;
  /** The items of the gaps; undefined where these were not read. */
  readonly gapItems: readonly Item[] | undefined;
  /** The numbers that indexes have found; undefined where they do not bound the list. */
  readonly included: NumberSet | undefined;
  /** The numbers of records with a value that they must not have. */
  readonly excluded: NumberSet;
  /** All items of the sets that were read. */
  readonly items: readonly Item[];
  /** Conditions that no index answers. */
  readonly residual: readonly Condition[];
  /** Numbers that indexes have found and that may be more than belong to the list: their records decide. */
  readonly inexact: ReadonlySet<number>;
  /** Numbers in order that lookups have found, whose writer may still be at work: they may have no record yet. */
  readonly unsettled: readonly number[];
  /** The fields of residual conditions whose index lacks older records. */
  readonly unbuilt: readonly string[];
  /** The numbers in it, where a range of time has left only these (`time-range.ts`). */
  readonly range?: { readonly from: number; readonly to: number };
  /** Read units of finding that. */
  readonly units: number;
}

/** @param now epoch milliseconds */
export async function readView(table: Table, query: ListQuery, reading: Reading, now: number): Promise<View> {
  if (isWhole(query)) return readWhole(table, query);
  const view = await readFiltered(table, query, reading, now);
  const unbuilt = query.conditions.filter(
    ({ index, answer }) => answer !== undefined && isUnbuilt(view.counter, index),
  );
  if (unbuilt.length === 0) return view;
  const conditions = query.conditions.map((each) => (unbuilt.includes(each) ? { ...each, answer: undefined } : each));
  const without = await readFiltered(table, { ...query, conditions }, reading, now);
  return { ...without, unbuilt: unbuilt.map(({ field }) => field) };
}

/** Whether an index lacks older records. A list without a counter item has no records yet. */
export const isUnbuilt = (counter: Item, index: string | undefined): boolean =>
  counter.NEXT !== undefined && index !== undefined && !builtFilters(counter).includes(index);

async function readWhole(table: Table, { partition }: List): Promise<View> {
  const gapItems = await readSet(table, storedSets.partitionOf(partition));
  return {
    ...NOTHING,
    counter: gapItems.find(({ SK }) => SK === COUNTER) ?? {},
    gaps: NumberSet.ofItems(gapItems),
    gapItems,
  };
}

const NOTHING = {
  gaps: NumberSet.EMPTY,
  gapItems: undefined,
  included: undefined,
  excluded: NumberSet.EMPTY,
  items: [],
  residual: [],
  inexact: new Set<number>(),
  unsettled: [],
  unbuilt: [],
  units: 0,
} as const;

async function readFiltered(table: Table, query: ListQuery, reading: Reading, now: number): Promise<View> {
  const { partition, conditions, retentionDays } = query;
  // Numbers in a set have records; what lookups find may be without one.
  const whole = isInSets(query) ? undefined : readWhole(table, query);
  const counter = whole?.then((view) => view.counter) ?? readCounterItem(table, partition, retentionDays !== undefined);
  const lookups = conditions.flatMap(({ answer }) => (answer && 'lookups' in answer ? [answer.lookups] : []));
  const looking = Promise.all(lookups.map((each) => readLookups(table, partition, each, reading)));
  const clauses = conditions.flatMap(({ answer }) => (answer && 'sets' in answer ? answer.sets : []));
  const given = lookups.length === 0 ? undefined : looking.then(placesOf);
  const readingSets = readSets(table, wantedBy(partition, clauses), given, reading);
  const [read, sets, found] = await Promise.all([counter, readingSets, looking]);
  const numbersWhere = (isExcluded: boolean): NumberSet[] =>
    sets.flatMap((each) => (each.isExcluded === isExcluded ? [each.numbers] : []));
  const named: (readonly number[])[] = [];
  for (const { answer } of conditions) if (answer && 'numbers' in answer) named.push(answer.numbers);
  const bounding = [
    ...numbersWhere(false),
    ...[...known(found), ...named].map((numbers) => NumberSet.ofNumbers(numbers)),
  ];
  const isResidual = (one: Condition): boolean =>
    one.answer === undefined ||
    ('lookups' in one.answer && found[lookups.indexOf(one.answer.lookups)]?.numbers === undefined);
  return {
    ...((await whole) ?? NOTHING),
    ...(bounding.length > 0 ? { included: NumberSet.common(bounding) } : {}),
    counter: read,
    excluded: NumberSet.either(numbersWhere(true)),
    items: sets.flatMap((each) => each.items),
    residual: conditions.filter(isResidual),
    inexact: new Set([...found.flatMap(({ inexact }) => [...inexact]), ...named.flat()]),
    unsettled: whole === undefined ? [] : unsettledOf(found, now),
  };
}

function unsettledOf(found: readonly Candidates[], now: number): readonly number[] {
  const recent = found.flatMap(({ inAdvance }) => [...inAdvance].filter(([, at]) => !isPast(at, now)));
  const numbers = new Set(recent.map(([number]) => number));
  return [...numbers].toSorted((one, other) => one - other);
}

const wantedBy = (list: string, clauses: readonly Clause[]) =>
  clauses.map(({ field, anyOf, isExcluded }) => ({
    isExcluded,
    sets: anyOf.map((value) => storedSets.partitionOf(list, field, value)),
  }));

const known = (found: readonly Candidates[]): ReadonlySet<number>[] =>
  found.flatMap(({ numbers }) => (numbers === undefined ? [] : [numbers]));

/** The sort keys of the items with the bits of what lookups find, where that is known. */
function placesOf(found: readonly Candidates[]): ReadonlySet<string> | undefined {
  const numbers = known(found);
  if (numbers.length === 0) return undefined;
  const common = numbers.reduce((one, other) => one.intersection(other));
  return new Set(Array.from(common, (number) => bitPlace(number).sortKey));
}

/** The members of a list. */
export function membersOf(list: List, view: View, absent: ReadonlySet<number>, now: number): Members {
  const { gaps, included, excluded } = view;
  const { from, to } = rangeOf(list, view, now);
  return new Members({ from, to, included, excluded: NumberSet.either([gaps, excluded]), absent });
}

/** The first number that may be a member, and one after the last. */
function rangeOf({ retentionDays }: List, { counter, included, range }: View, now: number) {
  const to = included === undefined ? Number(counter.NEXT ?? 0) : Number.MAX_SAFE_INTEGER;
  const from = retentionDays === undefined ? 0 : floorOf(counter, to, now);
  return range === undefined ? { from, to } : { from: Math.max(from, range.from), to: Math.min(to, range.to) };
}
