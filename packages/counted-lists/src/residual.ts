import { largestNoted } from './counter-item.ts';
import { ListNotBuilt, TooManyMatches } from './errors.ts';
import { sortKeyOf } from './ids.ts';
import { compareBy } from './indexes/list-index.ts';
import { type Members, NumberSet } from './number-set.ts';
import { between, type Queried, type Query, queryOnce } from './queries.ts';
import { type Condition, filteredBy, type ListQuery } from './query.ts';
import { LARGE, MAX_READ, MOST_CANDIDATES, MOST_RESIDUAL, ReadBudget, type Reading, UNIT } from './read-budget.ts';
import { type Records, readEach, recordsIn } from './read-records.ts';
import { type Item, isRecord } from './schema.ts';
import type { Table } from './table.ts';
import { isUnbuilt, type View } from './view.ts';

/**
 * Residual conditions and sorts: the records of the candidates decide, which are read strongly consistent, as far as
 * that takes {@link MOST_RESIDUAL} read units.
 */

/** A list of which the records have decided. */
interface Decided {
  /** With only the numbers of records that belong to the list. */
  readonly view: View;
  /** The records that were read and belong to it, by number: in any order, or in that of the query's fields. */
  readonly records: Records;
  /** In read units. */
  readonly units: number;
}

/**
 * Reads the candidates of which only the records say whether they belong to a list: all of them, where there are
 * residual conditions or the records are sorted by fields; else those that may be more than the indexes' conditions
 * say.
 * @throws TooManyMatches, ListNotBuilt when that takes too much
 */
export async function decideByRecords(
  table: Table,
  query: ListQuery,
  view: View,
  members: Members,
  timeLimit: Reading,
): Promise<Decided> {
  const isOfAll = view.residual.length > 0 || query.sort.length > 0;
  const few = isOfAll ? undefined : [...view.inexact].filter((each) => members.has(each));
  const candidates = few?.length ?? members.total;
  const refusal = () => refusalOf(query, view, candidates);
  if (candidates > MOST_CANDIDATES) throw refusal();
  const numbers = few ?? members.slice(0, members.total);
  // If only some are read, a record that does not belong to the list must not look as if it did not exist.
  const conditions = isOfAll ? query.conditions : [];
  const reading = new CandidatesRead(table, { ...query, conditions }, largestNoted(view.counter), timeLimit);
  if (!(await reading.read(numbers.toSorted((one, other) => one - other)))) throw refusal();
  const listed = [...reading.records].filter(([, item]) => isRecord(item) && query.matches(item));
  const compare = compareBy(query.sort);
  const records = new Map(query.sort.length === 0 ? listed : listed.toSorted(([, a], [, b]) => compare(a, b)));
  // A number without a record does not belong to the list if indexes found it; else the page's reader closes it.
  const isOut = (number: number): boolean =>
    !records.has(number) && (reading.records.has(number) || view.included !== undefined);
  const decided = isOfAll
    ? { included: NumberSet.ofNumbers(records.keys()) }
    : { excluded: NumberSet.either([view.excluded, NumberSet.ofNumbers(numbers.filter(isOut))]) };
  return { view: { ...view, ...decided }, records, units: view.units + reading.units };
}

/** The refusal names what the indexes do not answer. */
function refusalOf({ partition, conditions, sort, order }: ListQuery, view: View, candidates: number): Error {
  const { residual, inexact, counter } = view;
  const sortedBy = sort.map(({ field }) => `sort=${field}`);
  const unbuilt = [...view.unbuilt, ...(isUnbuilt(counter, order?.name) ? sortedBy : [])];
  if (unbuilt.length > 0) return new ListNotBuilt(partition, unbuilt);
  const isInexact = ({ answer }: Condition): boolean =>
    inexact.size > 0 &&
    answer !== undefined &&
    ('numbers' in answer || ('lookups' in answer && answer.lookups.length > 1));
  const fields = conditions.filter((each) => residual.includes(each) || isInexact(each)).map(({ field }) => field);
  // An order that is too long is named where nothing else is.
  return new TooManyMatches(candidates, [...fields, ...(order === undefined || fields.length === 0 ? sortedBy : [])]);
}

/** Numbers so close are read by one query: a single read costs as much as four records of 1 KB in a query. */
const NEAR = 4;
/** Fewest numbers for which a query is worth it, most queries, and how many at once. */
const FEWEST = 8;
const MOST_QUERIES = 16;
const AT_ONCE = 2;

/** Reads candidates. Before each step it charges the request what the step will probably take. */
class CandidatesRead {
  readonly #table: Table;
  readonly #query: Pick<ListQuery, 'partition' | 'conditions'>;
  readonly #largest: number;
  readonly #timeLimit: Reading;
  /** Records and tombstones. */
  readonly records = new Map<number, Item>();
  /** How many queries have read, also of those that they left out. */
  #scanned = 0;
  /** In read units. */
  units = 0;

  /** @param largest bytes of the list's largest record, as noted */
  constructor(table: Table, query: Pick<ListQuery, 'partition' | 'conditions'>, largest: number, timeLimit: Reading) {
    this.#table = table;
    this.#query = query;
    this.#largest = largest;
    this.#timeLimit = timeLimit;
  }

  /** @returns whether all could be read */
  async read(numbers: readonly number[]): Promise<boolean> {
    const { ranges, single } = divided(numbers);
    return (
      single.length <= MOST_RESIDUAL &&
      (await this.#readRanges(ranges, single.length)) &&
      (await this.#readSingle(single))
    );
  }

  get #left(): number {
    return MOST_RESIDUAL - this.units;
  }

  #expect(units: number): void {
    this.#timeLimit.expectUnits?.(Math.min(this.#left, Math.ceil(units)));
  }

  async #readRanges(ranges: readonly (readonly number[])[], others: number): Promise<boolean> {
    const { partition, conditions } = this.#query;
    const { length } = ranges.flat();
    let unread: readonly { readonly query: Query; readonly after?: Queried['last'] }[] = ranges.map((range) => ({
      query: filteredBy(between(partition, [sortKeyOf(range[0] ?? 0), sortKeyOf(range.at(-1) ?? 0)]), conditions),
    }));
    while (unread.length > 0) {
      const read = this.#scanned;
      this.#expect(others + Math.max(0, length - read) * (read === 0 ? 1 / NEAR : this.units / read));
      const begun = unread.slice(0, AT_ONCE);
      const reads = await Promise.all(begun.map(({ query, after }) => queryOnce(this.#table, query, undefined, after)));
      for (const { items, scanned, units } of reads) {
        this.#add(recordsIn(items), units);
        this.#scanned += scanned;
      }
      if (this.#left < 0) return false;
      const rest = begun.flatMap(({ query }, at) => (reads[at]?.last ? [{ query, after: reads[at].last }] : []));
      unread = [...rest, ...unread.slice(AT_ONCE)];
    }
    return true;
  }

  /**
   * First so many as take no more than what is left, if all are as large as the list's largest; then as many as do so
   * if they are like those before, at most twice as many as before, and not more than 16 MB of the largest.
   */
  async #readSingle(numbers: readonly number[]): Promise<boolean> {
    const inTurn = numbers.toSorted((one, other) => turnOf(one) - turnOf(other));
    const largest = Math.max(LARGE, this.#largest);
    let step = Math.floor((this.#left * UNIT.strongly) / largest);
    for (let at = 0, taken = 0; at < inTurn.length; ) {
      const some = inTurn.slice(at, at + Math.max(1, step));
      const each = Math.max(1, at === 0 ? this.#largest / UNIT.strongly : taken / at);
      this.#expect(some.length * each + (inTurn.length - at - some.length) * (at === 0 ? 1 : each));
      const budget = new ReadBudget(this.#timeLimit, false, Number.POSITIVE_INFINITY);
      const { records } = await readEach(this.#table, this.#query.partition, some, true, budget);
      this.#add(records, budget.units);
      if (this.#left < 0) return false;
      [at, taken] = [at + some.length, taken + budget.units];
      step = Math.min(2 * some.length, (this.#left * at) / taken, MAX_READ / largest);
    }
    return true;
  }

  #add(records: Records, units: number): void {
    for (const [number, item] of records) this.records.set(number, item);
    this.units += units;
  }
}

/** Spreads neighbours, so that the first numbers are a sample of all: large records may have been created together. */
const turnOf = (number: number): number => Math.imul(number, 0x9e3779b1) >>> 0;

/** Divides numbers into runs of neighbours, for a query each, and others. Parts of a long run are read concurrently. */
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
