import { largestNoted } from './counter-item.ts';
import { ListNotBuilt, TooManyMatches } from './errors.ts';
import { sortKeyOf } from './ids.ts';
import { compareBy } from './indexes/where.ts';
import { type Members, NumberSet } from './number-set.ts';
import { between, type Queried, type Query, queryOnce } from './queries.ts';
import type { Condition, ListQuery } from './query.ts';
import { MOST_CANDIDATES, MOST_SCANNED, type Reading } from './read-budget.ts';
import { type Records, readWithin, recordsIn } from './read-records.ts';
import { type Item, isRecord } from './schema.ts';
import type { Table } from './table.ts';
import { isUnbuilt, type View } from './view.ts';

/**
 * What no index answers: residual conditions and sorts. The records of the candidates decide, which the indexes have found, or of all. They are read
 * strongly consistent, as far as that takes {@link MOST_SCANNED}.
 */

/** What was read. */
interface Read {
  /** Records and tombstones. */
  readonly records: Records;
  /** In read units. */
  readonly units: number;
}

/** A list of which the records have decided. */
interface Scanned {
  /** With only the numbers of records that belong to the list. */
  readonly view: View;
  /** The records that were read and belong to it, by number: in the order of the numbers, or of the query's fields. */
  readonly records: Records;
  /** In read units. */
  readonly units: number;
}

/**
 * Reads the candidates of which only the records say whether they belong to a list: all of them, where conditions are undecided or the records are
 * sorted by fields; else those that are open.
 * @throws TooManyMatches, ListNotBuilt when that takes too much
 */
export async function scan(
  table: Table,
  query: ListQuery,
  view: View,
  members: Members,
  timeLimit: Reading,
): Promise<Scanned> {
  const isOfAll = view.undecided.length > 0 || query.sort.length > 0;
  const candidates = isOfAll ? members.total : view.open.size;
  const refusal = () => refusalOf(query, view, candidates);
  if (candidates > MOST_CANDIDATES) throw refusal();
  const numbers = isOfAll ? members.slice(0, members.total) : [...view.open].filter((number) => members.has(number));
  const limits = { largest: largestNoted(view.counter), timeLimit };
  const read = await readAll(
    table,
    query.partition,
    numbers.toSorted((one, other) => one - other),
    limits,
  );
  if (read === undefined) throw refusal();
  const isListed = ([, item]: readonly [number, Item]): boolean => isRecord(item) && query.matches(item);
  const [listed = [], others = []] = [true, false].map((is) => [...read.records].filter((one) => isListed(one) === is));
  const records = new Map(query.sort.length === 0 ? listed : sorted(listed, compareBy(query.sort)));
  // Of numbers that indexes have found. Others without a record are left to the reader of their page.
  const missing = view.included === undefined ? [] : numbers.filter((number) => !read.records.has(number));
  const decided = isOfAll
    ? { included: NumberSet.ofNumbers([...records.keys()]) }
    : {
        excluded: NumberSet.either([
          view.excluded,
          NumberSet.ofNumbers([...others.map(([number]) => number), ...missing]),
        ]),
      };
  return { view: { ...view, ...decided }, records, units: view.units + read.units };
}

const sorted = (records: [number, Item][], compare: (one: Item, other: Item) => number): [number, Item][] =>
  records.toSorted(([, one], [, other]) => compare(one, other));

/** The refusal names what the indexes do not answer. */
function refusalOf({ partition, conditions, sort, order }: ListQuery, view: View, candidates: number): Error {
  const { undecided, open, counter } = view;
  const sortedBy = sort.map(({ field }) => `sort=${field}`);
  const unbuilt = [...view.unbuilt, ...(isUnbuilt(counter, order?.name) ? sortedBy : [])];
  if (unbuilt.length > 0) return new ListNotBuilt(partition, unbuilt);
  const isOpen = ({ answer }: Condition): boolean =>
    open.size > 0 && answer !== undefined && 'lookups' in answer && answer.lookups.length > 1;
  const residual = conditions.filter((each) => undecided.includes(each) || isOpen(each)).map(({ field }) => field);
  // An order that is too long is named where nothing else is.
  return new TooManyMatches(candidates, [
    ...residual,
    ...(order === undefined || residual.length === 0 ? sortedBy : []),
  ]);
}

/** Numbers so far apart are read by a query with what is between them: a single read costs as much as four records of 1 KB in a query. */
const NEAR = 4;
/** Fewest numbers for which a query is worth it, most queries, and how many at once. */
const FEWEST = 8;
const MOST_QUERIES = 16;
const AT_ONCE = 2;

/** @returns undefined where it takes too much */
async function readAll(
  table: Table,
  partition: string,
  numbers: readonly number[],
  { largest, timeLimit }: { readonly largest: number; readonly timeLimit: Reading },
): Promise<Read | undefined> {
  const { ranges, single } = divided(numbers);
  if (single.length > MOST_SCANNED) return undefined;
  timeLimit.expectUnits?.(Math.min(MOST_SCANNED, single.length + Math.ceil((numbers.length - single.length) / NEAR)));
  const records = new Map<number, Item>();
  let units = 0;
  let unread: readonly { readonly query: Query; readonly after?: Queried['last'] }[] = ranges.map((range) => ({
    query: rangeOf(partition, range),
  }));
  while (unread.length > 0) {
    const begun = unread.slice(0, AT_ONCE);
    const reads = await Promise.all(begun.map(({ query, after }) => queryOnce(table, query, undefined, after)));
    units += reads.reduce((sum, read) => sum + read.units, 0);
    if (units > MOST_SCANNED) return undefined;
    for (const [number, item] of reads.flatMap(({ items }) => [...recordsIn(items)])) records.set(number, item);
    const rest = begun.flatMap(({ query }, index) => (reads[index]?.last ? [{ query, after: reads[index].last }] : []));
    unread = [...rest, ...unread.slice(AT_ONCE)];
  }
  if (single.length === 0) return { records, units };
  const read = await readWithin(table, partition, single, { most: MOST_SCANNED - units, largest, timeLimit });
  if (read === undefined) return undefined;
  return { records: new Map([...records, ...read.records]), units: units + read.units };
}

const rangeOf = (partition: string, numbers: readonly number[]) =>
  between(partition, [sortKeyOf(numbers[0] ?? 0), sortKeyOf(numbers.at(-1) ?? 0)]);

/** Runs of neighbours, which are read by a query each, and all other numbers. A long run is divided, so that each part is read at once. */
function divided(numbers: readonly number[]): {
  readonly ranges: readonly (readonly number[])[];
  readonly single: readonly number[];
} {
  const runs: number[][] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last !== undefined && number - (last.at(-1) ?? 0) <= NEAR && last.length < LONGEST) last.push(number);
    else runs.push([number]);
  }
  const dense = runs.filter(({ length }) => length >= FEWEST).toSorted((one, other) => other.length - one.length);
  const ranges = dense.slice(0, MOST_QUERIES);
  const single = runs.filter((run) => !ranges.includes(run)).flat();
  return { ranges, single };
}

/** Numbers that one query reads: of the smallest records 1 MB. */
const LONGEST = Math.ceil(MOST_CANDIDATES / MOST_QUERIES);
