import { numberIn, sortKeyOf } from './ids.ts';
import type { PageRequest } from './page-numbers.ts';
import { queryOnce, startingAt } from './queries.ts';
import type { ListQuery } from './query.ts';
import { MOST_CANDIDATES } from './read-budget.ts';
import { isRecord } from './schema.ts';
import type { Table } from './table.ts';
import { membersOf, type View } from './view.ts';

/**
 * A range of the time of creation as numbers, which are allocated in the order of time:
 *
 *     … │   the records decide   │  all of these  │   the records decide   │ …
 *     from − DISORDER     from + DISORDER   before − DISORDER      before + DISORDER
 *
 * So a range is found in a list of any length. A record whose writer's clock was off by more than {@link DISORDER_MS}
 * is where its number is.
 */

/** How far neighbouring numbers' times may be out of order, in milliseconds: a request, and differences of clocks. */
const DISORDER_MS = 60_000;

/** Fewest members for which it is worth while: the records of fewer are read. */
const WORTHWHILE = 500;

/** Places that are read at once, and how close they get. */
const PLACES = 8;
const CLOSE = 64;

/** Records of a place: the clock of one writer may be wrong. */
const A_PLACE = 5;

/** Read units that a step of a search takes, about. */
const A_STEP = PLACES;

/** A view in which ranges of the time of creation are decided, but for the numbers about their ends. */
export async function narrowByTime(
  table: Table,
  query: ListQuery,
  view: View,
  { now, timeLimit }: Pick<PageRequest, 'now' | 'timeLimit'>,
): Promise<View> {
  const timed = view.residual.filter(({ time }) => time !== undefined);
  if (timed.length === 0) return view;
  const members = membersOf(query, view, new Set(), now);
  if (members.total < WORTHWHILE) return view;
  const all = { first: members.first, end: Number(view.counter.NEXT ?? 0) };
  const bounds = timed.flatMap(({ time: { from, before } = {} }) => [
    ...(from === undefined ? [] : [{ time: from, isFrom: true }]),
    ...(before === undefined ? [] : [{ time: before, isFrom: false }]),
  ]);
  const steps = Math.ceil(Math.log((all.end - all.first) / CLOSE) / Math.log(PLACES + 1));
  timeLimit.expectUnits?.(2 * bounds.length * Math.max(0, steps) * A_STEP);
  const search = new Search(table, query, all);
  const edges = await Promise.all(bounds.map(async (bound) => ({ ...bound, edge: await search.edgeOf(bound.time) })));
  const range = {
    from: Math.max(all.first, ...edges.map(({ isFrom, edge }) => (isFrom ? edge.first : all.first))),
    to: Math.min(...edges.map(({ isFrom, edge }) => (isFrom ? Number.MAX_SAFE_INTEGER : edge.end))),
  };
  const narrowed = { ...view, range, residual: view.residual.filter((each) => !timed.includes(each)) };
  const doubtful = edges.map(({ edge: { first, end } }) => {
    const about = { from: Math.max(range.from, first), to: Math.min(range.to, end) };
    return membersOf(query, { ...narrowed, range: about }, new Set(), now);
  });
  // Records cannot decide about too many candidates: these are refused, as where times are not narrowed.
  if (doubtful.some(({ total }) => total > MOST_CANDIDATES)) return view;
  const inexact = doubtful.flatMap((about) => about.slice(0, about.total));
  return { ...narrowed, inexact: new Set([...view.inexact, ...inexact]), units: view.units + search.units };
}

/** The first number, and one after the last. */
interface Span {
  readonly first: number;
  readonly end: number;
}

/** Looks for numbers by the times of their records. */
class Search {
  readonly #table: Table;
  readonly #query: ListQuery;
  readonly #all: Span;
  /** What was read, in read units. */
  units = 0;

  constructor(table: Table, query: ListQuery, all: Span) {
    this.#table = table;
    this.#query = query;
    this.#all = all;
  }

  /** The numbers that may be on either side of a time: records before them are earlier, those after them are not. */
  async edgeOf(time: number): Promise<Span> {
    const [low, high] = await Promise.all([this.#search(time - DISORDER_MS), this.#search(time + DISORDER_MS)]);
    return { first: low.first, end: Math.max(low.first, high.end) };
  }

  /** Narrows the numbers to those at which times become `time` or later. The end is open where none are. */
  async #search(time: number): Promise<Span> {
    let { first, end } = this.#all;
    let close = Number.MAX_SAFE_INTEGER;
    while (end - first > CLOSE) {
      const step = Math.ceil((end - first) / (PLACES + 1));
      const places = Array.from({ length: PLACES }, (_, index) => first + (index + 1) * step).filter((at) => at < end);
      const read = await Promise.all(places.map((place) => this.#readPlace(place, end)));
      const later = read.findIndex((place) => place.time >= time);
      const last = later < 0 ? places.length : later;
      // Some records of a place may be earlier than its middle one.
      close = read[later]?.end ?? close;
      [first, end] = [places[last - 1] ?? first, places[last] ?? end];
    }
    return { first, end: close };
  }

  /**
   * The first records from a number on, over tombstones: the middle one of their times, and one after the last of them.
   * Infinite where there are none before `end`.
   */
  async #readPlace(number: number, end: number): Promise<{ readonly time: number; readonly end: number }> {
    const { partition, createdAt } = this.#query;
    for (let from = number, most = A_PLACE; from < end; most *= 10) {
      const { items, units, last } = await queryOnce(this.#table, startingAt(partition, sortKeyOf(from)), most);
      this.units += units;
      const records = items.filter(isRecord);
      const times = records.map((item) => Date.parse(String(item[createdAt]))).toSorted((one, other) => one - other);
      const time = times[Math.floor(times.length / 2)];
      if (time !== undefined) return { time, end: numberIn(String(records.at(-1)?.SK)) + 1 };
      if (last === undefined) break;
      from = numberIn(String(last.SK)) + 1;
    }
    return { time: Number.POSITIVE_INFINITY, end: number };
  }
}
