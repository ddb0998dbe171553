import {
  bitsBetween,
  commonBits,
  countWithout,
  EMPTY_GROUP,
  eitherBits,
  FULL_GROUP,
  GROUP_SIZE,
  type GroupBits,
  groupOfWord,
  hasBit,
  inTrash,
  noBits,
  placeOfItem,
  placesIn,
  putWord,
  setBit,
  TRASH,
} from './bits.ts';
import { groupsOf } from './gap-regions.ts';

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
   * The numbers that are in words, in compressed bits, or in the trash.
   * @throws SyntaxError, RangeError, TypeError where a word is no whole number
   */
  static ofItems(items: readonly Readonly<Record<string, unknown>>[]): NumberSet {
    const groups = new Map<number, GroupBits>();
    const regions: { readonly groups: ReadonlyMap<number, GroupBits> }[] = [];
    const damaged = new Set<number>();
    // They sort before all others.
    if (String(items[0]?.SK).startsWith(TRASH)) {
      const trashed = items.map(inTrash).filter((item) => item !== undefined);
      const sets = [items.filter((item) => inTrash(item) === undefined), trashed].map(NumberSet.ofItems);
      const all = sets.flatMap((set) => [...set.damaged]);
      return new NumberSet(NumberSet.either(sets).groups, new Set(all));
    }
    for (const item of items) {
      const place = placeOfItem(item);
      if (place === undefined) {
        regions.push({ groups: groupsOf(item) });
        continue;
      }
      const { block, stripe } = place;
      for (const attribute in item) {
        const group = groupOfWord(block, attribute);
        if (group === undefined) continue;
        if (!putWord(bitsIn(groups, group), stripe, item[attribute])) damaged.add(group * GROUP_SIZE + stripe);
      }
    }
    return new NumberSet(NumberSet.either([{ groups }, ...regions]).groups, damaged);
  }

  static ofNumbers(numbers: Iterable<number>): NumberSet {
    const groups = new Map<number, GroupBits>();
    for (const number of numbers) setBit(bitsIn(groups, groupOf(number)), number % GROUP_SIZE);
    return new NumberSet(groups);
  }

  static readonly EMPTY = new NumberSet(new Map());

  /** The numbers that are in all of these sets. */
  static common([first = NumberSet.EMPTY, ...others]: readonly NumberSet[]): NumberSet {
    const common = new Map<number, GroupBits>();
    for (const [group, bits] of first.groups) {
      const found = others.map(({ groups }) => groups.get(group)).filter((each) => each !== undefined);
      if (found.length === others.length) common.set(group, found.reduce(commonBits, bits));
    }
    return new NumberSet(common);
  }

  /** The numbers that are in any of these sets. */
  static either(sets: readonly Pick<NumberSet, 'groups'>[]): NumberSet {
    const all = new Map<number, GroupBits>();
    for (const [group, bits] of sets.flatMap(({ groups }) => [...groups])) {
      const other = all.get(group);
      all.set(group, other === undefined ? bits : eitherBits(bits, other));
    }
    return new NumberSet(all);
  }

  has(number: number): boolean {
    const group = this.groups.get(groupOf(number));
    return group !== undefined && hasBit(group, number % GROUP_SIZE);
  }

  /** Whether it has all numbers of another set. */
  hasAll({ groups }: NumberSet): boolean {
    return Array.from(groups).every(([group, bits]) => countWithout(bits, this.groups.get(group) ?? EMPTY_GROUP) === 0);
  }

  /** How many numbers of a group it has. */
  countIn(group: number): number {
    return countWithout(this.groups.get(group) ?? EMPTY_GROUP, EMPTY_GROUP);
  }

  /** All of them, in no order. */
  *numbers(): Generator<number> {
    for (const [group, bits] of this.groups) for (const place of placesIn(bits)) yield group * GROUP_SIZE + place;
  }
}

function bitsIn(groups: Map<number, GroupBits>, group: number): GroupBits {
  const bits = groups.get(group) ?? noBits();
  groups.set(group, bits);
  return bits;
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
  readonly absent?: Iterable<number>;
}

/** The members of a list, in order. Pure arithmetic on sets that were read. */
export class Members {
  /** The number from which on they are. */
  readonly first: number;
  readonly total: number;
  readonly #end: number;
  readonly #included: NumberSet | undefined;
  readonly #excluded: NumberSet;
  /** In order. */
  readonly #runs: readonly Run[];

  constructor({ from, to, included, excluded = NumberSet.EMPTY, absent = [] }: Parts) {
    this.first = from;
    this.#end = to;
    this.#included = included;
    this.#excluded = NumberSet.either([excluded, NumberSet.ofNumbers(absent)]);
    this.#runs = [...this.#runsOf()];
    this.total = this.#runs.reduce((sum, { count }) => sum + count, 0);
  }

  /** Up to `limit` members in order, from this rank on; ranks count from 0. */
  slice(rank: number, limit: number): number[] {
    const numbers: number[] = [];
    let skip = rank;
    for (const run of this.#runs) {
      if (numbers.length >= limit) break;
      if (skip < run.count) numbers.push(...this.#numbersIn(run, skip, limit - numbers.length));
      skip = Math.max(0, skip - run.count);
    }
    return numbers;
  }

  /** How many members are below a number. */
  rankOf(number: number): number {
    const to = Math.min(this.#end, number);
    return new Members({ from: this.first, to, included: this.#included, excluded: this.#excluded }).total;
  }

  has(number: number): boolean {
    return (
      this.first <= number && number < this.#end && (this.#included?.has(number) ?? true) && !this.#excluded.has(number)
    );
  }

  /** A run for each group that a set has words of, and one for each range between them. */
  *#runsOf(): Generator<Run> {
    const [included, excluded] = [this.#included, this.#excluded];
    let at = this.first;
    for (const group of [...(included ?? excluded).groups.keys()].sort((a, b) => a - b)) {
      const base = group * GROUP_SIZE;
      const [first, end] = [Math.max(base, this.first), Math.min(base + GROUP_SIZE, this.#end)];
      if (first >= end) continue;
      if (included === undefined) yield { first: at, end: first, count: first - at };
      const window = end - first === GROUP_SIZE ? FULL_GROUP : bitsBetween(first - base, end - base);
      const bits = included?.groups.get(group) ?? FULL_GROUP;
      yield { first, end, count: countWithout(bits, excluded.groups.get(group) ?? EMPTY_GROUP, window) };
      at = end;
    }
    if (included === undefined && at < this.#end) yield { first: at, end: this.#end, count: this.#end - at };
  }

  #numbersIn({ first, end, count }: Run, skip: number, limit: number): number[] {
    if (count === end - first)
      return Array.from({ length: Math.min(limit, count - skip) }, (_, index) => first + skip + index);
    const group = groupOf(first);
    const [included, excluded] = [
      this.#included?.groups.get(group) ?? FULL_GROUP,
      this.#excluded.groups.get(group) ?? EMPTY_GROUP,
    ];
    const numbers: number[] = [];
    let rest = skip;
    for (let number = first; number < end && numbers.length < limit; number++) {
      const place = number % GROUP_SIZE;
      if (!hasBit(included, place) || hasBit(excluded, place)) continue;
      if (rest > 0) rest--;
      else numbers.push(number);
    }
    return numbers;
  }
}

/** A range of numbers, with the number of members in it. */
interface Run {
  readonly first: number;
  readonly end: number;
  readonly count: number;
}

const groupOf = (number: number): number => Math.floor(number / GROUP_SIZE);
