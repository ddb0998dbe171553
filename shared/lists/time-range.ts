import { sortKeyOf } from './ids.ts';
import { queryOnce } from './queries.ts';
import type { ListQuery, TimeRange } from './query.ts';
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
 * So a range is found in a list of any length. A record whose writer's clock was off by more than {@link DISORDER_MS} is where its number is.
 */

/** By how much the times of neighbouring numbers may be out of order: a request's time, and what clocks differ. In milliseconds. */
const DISORDER_MS = 60_000;

/** Fewest members for which it is worth while: the records of fewer are read. */
const WORTHWHILE = 500;

/** Places that are read at once, and how close they get. */
const PLACES = 8;
const CLOSE = 64;

/** Records of a place: the clock of one writer may be wrong. */
const A_PLACE = 5;

/** A view in which ranges of the time of creation are decided, but for the numbers about their ends. */
export async function narrowByTime(table: Table, query: ListQuery, view: View, now: number): Promise<View> {
  const timed = view.undecided.filter(({ time }) => time !== undefined);
  const members = membersOf(query, view, new Set(), now);
  if (timed.length === 0 || members.total < WORTHWHILE) return view;
  const numbers = new Numbers(table, query, { first: members.first, end: Number(view.counter.NEXT ?? 0) });
  const found = await Promise.all(timed.flatMap(({ time }) => numbers.endsOf(time ?? {})));
  const range = {
    from: Math.max(...found.map(({ first }) => first)),
    to: Math.min(...found.map(({ end }) => end)),
  };
  const narrowed = { ...view, range, undecided: view.undecided.filter((each) => !timed.includes(each)) };
  const doubtful = found.map(({ doubtful: { from, to } }) => {
    const about = { from: Math.max(range.from, from), to: Math.min(range.to, to) };
    return membersOf(query, { ...narrowed, range: about }, new Set(), now);
  });
  // Of too many the records cannot decide: then they are refused, as where times are not narrowed.
  if (doubtful.some(({ total }) => total > MOST_CANDIDATES)) return view;
  const open = doubtful.flatMap((about) => about.slice(0, about.total));
  return { ...narrowed, open: new Set([...view.open, ...open]), units: view.units + numbers.units };
}

/** The numbers that an end of a range leaves: from `first` on, before `end`. Of some the records decide. */
interface End {
  readonly first: number;
  readonly end: number;
  readonly doubtful: { readonly from: number; readonly to: number };
}

/** The first number, and one after the last. */
interface Span {
  readonly first: number;
  readonly end: number;
}

/** The numbers of a list, and the times of their records. */
class Numbers {
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

  endsOf({ from, before }: TimeRange): Promise<End>[] {
    const { first } = this.#all;
    return [
      ...(from === undefined
        ? []
        : [this.#edgeOf(from).then((edge) => ({ first: edge.from, end: Number.MAX_SAFE_INTEGER, doubtful: edge }))]),
      ...(before === undefined ? [] : [this.#edgeOf(before).then((edge) => ({ first, end: edge.to, doubtful: edge }))]),
    ];
  }

  /** The records before `from` are earlier than a time, and those from `to` on are not. */
  async #edgeOf(time: number): Promise<End['doubtful']> {
    const [low, high] = await Promise.all([this.#search(time - DISORDER_MS), this.#search(time + DISORDER_MS)]);
    return { from: low.first, to: Math.max(low.first, high.end) };
  }

  /** Narrows the numbers to those at which times become `time` or later. The end is open where none are. */
  async #search(time: number): Promise<Span> {
    let { first, end } = this.#all;
    let hasLater = false;
    while (end - first > CLOSE) {
      const step = Math.ceil((end - first) / (PLACES + 1));
      const places = Array.from({ length: PLACES }, (_, index) => first + (index + 1) * step).filter((at) => at < end);
      const times = await Promise.all(places.map((place) => this.#timeAt(place)));
      const later = times.findIndex((at) => at >= time);
      hasLater ||= later >= 0;
      const last = later < 0 ? places.length : later;
      [first, end] = [places[last - 1] ?? first, places[last] ?? end];
    }
    // Some records of a place may be earlier than its middle one.
    return { first, end: hasLater ? end + A_PLACE : Number.MAX_SAFE_INTEGER };
  }

  /** The time of the records from a number on, the middle one of some; infinite where there are none. */
  async #timeAt(number: number): Promise<number> {
    const { partition, createdAt } = this.#query;
    const query = {
      KeyConditionExpression: 'PK = :list AND SK >= :number',
      ExpressionAttributeValues: { ':list': partition, ':number': sortKeyOf(number) },
    };
    const { items, units } = await queryOnce(this.#table, query, A_PLACE);
    this.units += units;
    const times = items.filter(isRecord).map((item) => Date.parse(String(item[createdAt])));
    const sorted = times.toSorted((one, other) => one - other);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.POSITIVE_INFINITY;
  }
}
