import { bitCount, GROUP_SIZE, STRIPES, WORD_BITS, wordsOf } from './bits.ts';

/** The words of each group, by stripe. */
type Groups = ReadonlyMap<number, readonly bigint[]>;

/** A set of numbers, as read. */
export class NumberSet {
  readonly groups: Groups;

  constructor(groups: Groups) {
    this.groups = groups;
  }

  static ofItems(items: readonly Readonly<Record<string, unknown>>[]): NumberSet {
    const groups = new Map<number, bigint[]>();
    for (const { group, stripe, bits } of items.flatMap(wordsOf)) wordsIn(groups, group)[stripe] = bits;
    return new NumberSet(groups);
  }

  static ofNumbers(numbers: readonly number[]): NumberSet {
    const groups = new Map<number, bigint[]>();
    for (const number of numbers) {
      const words = wordsIn(groups, Math.floor(number / GROUP_SIZE));
      const inGroup = number % GROUP_SIZE;
      const stripe = inGroup % STRIPES;
      words[stripe] = (words[stripe] ?? 0n) | (1n << BigInt(Math.floor(inGroup / STRIPES)));
    }
    return new NumberSet(groups);
  }

  static readonly EMPTY = new NumberSet(new Map());

  /** The numbers that are in all of these sets. */
  static common([first = NumberSet.EMPTY, ...others]: readonly NumberSet[]): NumberSet {
    return others.reduce((left, right) => {
      const shared = Array.from(left.groups).flatMap(([group, words]) => {
        const other = right.groups.get(group);
        return other === undefined ? [] : [[group, words.map((bits, stripe) => bits & (other[stripe] ?? 0n))] as const];
      });
      return new NumberSet(new Map(shared));
    }, first);
  }

  has(number: number): boolean {
    const words = this.groups.get(Math.floor(number / GROUP_SIZE));
    const inGroup = number % GROUP_SIZE;
    const bits = words?.[inGroup % STRIPES] ?? 0n;
    return ((bits >> BigInt(Math.floor(inGroup / STRIPES))) & 1n) === 1n;
  }
}

function wordsIn(groups: Map<number, bigint[]>, group: number): bigint[] {
  const words = groups.get(group) ?? Array<bigint>(STRIPES).fill(0n);
  groups.set(group, words);
  return words;
}

/** The definition of a list's members. */
interface Parts {
  /** The first number, and one after the last. */
  readonly from: number;
  readonly to: number;
  /** Undefined: all numbers in that range. */
  readonly included?: NumberSet | undefined;
  readonly excluded?: NumberSet | undefined;
  /** Further excluded numbers, which were found to have no record. */
  readonly absent: ReadonlySet<number>;
}

/** The members of a list, in order. Pure arithmetic on sets that were read. */
export class Members {
  readonly total: number;
  readonly #parts: Parts;
  /** In order. */
  readonly #runs: readonly Run[];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#runs = runsOf(parts);
    this.total = this.#runs.reduce((sum, { count }) => sum + count, 0);
  }

  /** Up to `limit` members in order, from this rank on; ranks count from 0. */
  slice(rank: number, limit: number): number[] {
    const numbers: number[] = [];
    let skip = rank;
    for (const run of this.#runs) {
      if (numbers.length >= limit) break;
      if (skip >= run.count) skip -= run.count;
      else {
        numbers.push(...this.#numbersIn(run, skip, limit - numbers.length));
        skip = 0;
      }
    }
    return numbers;
  }

  /** How many members are below a number. */
  rankOf(number: number): number {
    return new Members({ ...this.#parts, to: Math.min(this.#parts.to, number) }).total;
  }

  #numbersIn(run: Run, skip: number, limit: number): number[] {
    if (run.isWhole)
      return Array.from({ length: Math.min(limit, run.count - skip) }, (_, index) => run.first + skip + index);
    const numbers: number[] = [];
    let rest = skip;
    for (let number = run.first; number < run.end && numbers.length < limit; number++) {
      if (!this.#has(number)) continue;
      if (rest > 0) rest--;
      else numbers.push(number);
    }
    return numbers;
  }

  #has(number: number): boolean {
    const { included, excluded, absent } = this.#parts;
    return (included?.has(number) ?? true) && !(excluded?.has(number) ?? false) && !absent.has(number);
  }
}

/** A range of numbers, with the number of members in it. */
interface Run {
  readonly first: number;
  readonly end: number;
  readonly count: number;
  /** Whether all of them are members. */
  readonly isWhole: boolean;
}

/** A run for each group that a set has words of, and one run for each range between them. */
function runsOf(parts: Parts): Run[] {
  const { from, to, included, excluded, absent } = parts;
  if (from >= to) return [];
  const absentIn = Map.groupBy(absent, groupOf);
  const known = new Set(
    included === undefined ? [...(excluded?.groups.keys() ?? []), ...absentIn.keys()] : included.groups.keys(),
  );
  const runs: Run[] = [];
  let at = from;
  for (const group of [...known].sort((a, b) => a - b)) {
    const first = Math.max(group * GROUP_SIZE, from);
    const end = Math.min((group + 1) * GROUP_SIZE, to);
    if (first >= end) continue;
    if (included === undefined && first > at) runs.push({ first: at, end: first, count: first - at, isWhole: true });
    runs.push({ first, end, count: countIn(parts, group, first, end, absentIn.get(group) ?? []), isWhole: false });
    at = end;
  }
  if (included === undefined && at < to) runs.push({ first: at, end: to, count: to - at, isWhole: true });
  return runs;
}

const groupOf = (number: number): number => Math.floor(number / GROUP_SIZE);

/** How many members of a group lie from `first` up to, not including, `end`. */
function countIn(
  { included, excluded }: Parts,
  group: number,
  first: number,
  end: number,
  absent: readonly number[],
): number {
  const base = group * GROUP_SIZE;
  let count = 0;
  for (let stripe = 0; stripe < STRIPES; stripe++) {
    const window = windowOf(first - base, end - base, stripe);
    const inside = included === undefined ? window : (included.groups.get(group)?.[stripe] ?? 0n) & window;
    if (inside === 0n) continue;
    count += bitCount(inside & ~(excluded?.groups.get(group)?.[stripe] ?? 0n));
  }
  const lost = absent.filter(
    (number) => number >= first && number < end && (included?.has(number) ?? true) && !(excluded?.has(number) ?? false),
  );
  return count - lost.length;
}

const FULL_WORD = (1n << BigInt(WORD_BITS)) - 1n;

/** The bits of a stripe's word for the numbers from `from` up to, not including, `to`, both relative to the group's first number. */
function windowOf(from: number, to: number, stripe: number): bigint {
  if (from === 0 && to === GROUP_SIZE) return FULL_WORD;
  const low = Math.ceil(Math.max(0, from - stripe) / STRIPES);
  const high = Math.ceil(Math.max(0, to - stripe) / STRIPES);
  return high <= low ? 0n : (1n << BigInt(high)) - (1n << BigInt(low));
}
