import { GROUP_SIZE, groupOfWord, placeOfItem } from './bits.ts';
import { type Range, rangesOf } from './gap-ranges.ts';
import {
  bitsBetween,
  commonBits,
  countWithout,
  EMPTY_GROUP,
  eitherBits,
  FULL_GROUP,
  type GroupBits,
  hasBit,
  noBits,
  putWord,
  setBetween,
  setBit,
  wordIn,
} from './group-bits.ts';

/** A set of numbers, as read. */
export class NumberSet {
  /** The bits of each group of {@link GROUP_SIZE} numbers. */
  readonly groups: ReadonlyMap<number, GroupBits>;
  /** The first number of each stored word that has more than the bits of a word, or is negative. */
  readonly damaged: ReadonlySet<number>;

  constructor(groups: ReadonlyMap<number, GroupBits>, damaged: ReadonlySet<number> = new Set()) {
    this.groups = groups;
    this.damaged = damaged;
  }

  /**
   * The numbers that are in bits or in ranges, or in both.
   * @throws SyntaxError, RangeError, TypeError where a word is no whole number
   */
  static ofItems(items: readonly Readonly<Record<string, unknown>>[]): NumberSet {
    const groups = new Map<number, GroupBits>();
    const damaged = new Set<number>();
    for (const item of items) {
      const place = placeOfItem(item);
      if (place === undefined) continue;
      const { block, stripe } = place;
      for (const attribute in item) {
        const group = groupOfWord(block, attribute);
        if (group === undefined) continue;
        if (!putWord(bitsIn(groups, group), stripe, item[attribute])) damaged.add(group * GROUP_SIZE + stripe);
      }
    }
    for (const range of items.flatMap(rangesOf)) includeRange(groups, range);
    return new NumberSet(groups, damaged);
  }

  static ofNumbers(numbers: readonly number[]): NumberSet {
    const groups = new Map<number, GroupBits>();
    for (const number of numbers) setBit(bitsIn(groups, groupOf(number)), number % GROUP_SIZE);
    return new NumberSet(groups);
  }

  static readonly EMPTY = new NumberSet(new Map());

  /** The numbers that are in all of these sets. */
  static common([first = NumberSet.EMPTY, ...others]: readonly NumberSet[]): NumberSet {
    return others.reduce((left, right) => {
      const shared = new Map<number, GroupBits>();
      for (const [group, bits] of left.groups) {
        const other = right.groups.get(group);
        const both = other === undefined ? undefined : commonBits(bits, other);
        if (both !== undefined) shared.set(group, both);
      }
      return new NumberSet(shared);
    }, first);
  }

  /** The numbers that are in any of these sets. */
  static either([first = NumberSet.EMPTY, ...others]: readonly NumberSet[]): NumberSet {
    return others.reduce((left, right) => {
      const all = new Map(left.groups);
      for (const [group, bits] of right.groups) {
        const other = all.get(group);
        all.set(group, other === undefined ? bits : eitherBits(bits, other));
      }
      return new NumberSet(all);
    }, first);
  }

  has(number: number): boolean {
    const group = this.groups.get(groupOf(number));
    return group !== undefined && hasBit(group, number % GROUP_SIZE);
  }

  /** Whether it has all numbers of another set. */
  hasAll({ groups }: NumberSet): boolean {
    return Array.from(groups).every(
      ([group, bits]) => countWithout(bits, this.groups.get(group) ?? EMPTY_GROUP, FULL_GROUP) === 0,
    );
  }

  /** Whether it has all numbers of a group. */
  isFull(group: number): boolean {
    return countWithout(FULL_GROUP, this.groups.get(group) ?? EMPTY_GROUP, FULL_GROUP) === 0;
  }

  /** The word that begins with the bit of this number. */
  wordAt(first: number): bigint {
    const group = this.groups.get(groupOf(first));
    return group === undefined ? 0n : wordIn(group, first % GROUP_SIZE);
  }
}

function bitsIn(groups: Map<number, GroupBits>, group: number): GroupBits {
  const bits = groups.get(group) ?? noBits();
  groups.set(group, bits);
  return bits;
}

/** Groups whose numbers are all in the range share their bits. */
function includeRange(groups: Map<number, GroupBits>, { from, to }: Range): void {
  for (let group = groupOf(from); group * GROUP_SIZE < to; group++) {
    const first = Math.max(from - group * GROUP_SIZE, 0);
    const end = Math.min(to - group * GROUP_SIZE, GROUP_SIZE);
    if (end - first === GROUP_SIZE) groups.set(group, FULL_GROUP);
    else setBetween(bitsIn(groups, group), first, end);
  }
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
  readonly runs: readonly Run[];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.runs = runsOf(parts);
    this.total = this.runs.reduce((sum, { count }) => sum + count, 0);
  }

  /** The number from which on they are. */
  get first(): number {
    return this.#parts.from;
  }

  /** Up to `limit` members in order, from this rank on; ranks count from 0. */
  slice(rank: number, limit: number): number[] {
    const numbers: number[] = [];
    let skip = rank;
    for (const run of this.runs) {
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

  has(number: number): boolean {
    const { from, to } = this.#parts;
    return from <= number && number < to && this.#has(number);
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
export interface Run {
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
  const window = end - first === GROUP_SIZE ? FULL_GROUP : bitsBetween(first - base, end - base);
  const inside = included === undefined ? window : (included.groups.get(group) ?? EMPTY_GROUP);
  const count = countWithout(inside, excluded?.groups.get(group) ?? EMPTY_GROUP, window);
  const lost = absent.filter(
    (number) => number >= first && number < end && (included?.has(number) ?? true) && !(excluded?.has(number) ?? false),
  );
  return count - lost.length;
}
