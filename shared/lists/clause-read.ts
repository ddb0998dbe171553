import { WORD_NAMES } from './bits.ts';
import { NumberSet } from './number-set.ts';
import type { Item } from './schema.ts';
import { type Known, SetRead, type WantedSet } from './set-read.ts';
import { type SetSize, WORTHWHILE } from './set-sizes.ts';
import type { Table } from './table.ts';

/** The sets of a clause: those of any of its values. */
export interface WantedClause {
  readonly sets: readonly WantedSet[];
  /** Whether their members are those that the list does not have. */
  readonly isExcluded: boolean;
}

/**
 * The reading of a clause: the union of its sets. A record that moves from one of them to another while they are read must not be missing, as it is
 * where its new set is read before the move and its old one after it. So each set is read before and after the others:
 *
 *     A, B, C ─▶ A, B, C          all of them, and again
 *     A, B ─▶ large set ─▶ A, B   where one is known to be large: it is read once, which takes one round trip more
 *
 * Where both readings agree, the union is that of one moment between them; where not, they are read once more, as far as that is cheap. A list whose
 * records move all the time has the union of the last readings in the end: it misses no record that moved once meanwhile, and may have one that left beside one that came. Only a
 * record that moves twice within these milliseconds could be in none of the sets, each time that they are read.
 */
export class ClauseRead {
  readonly isExcluded: boolean;
  /** Estimated; undefined where the size of one of its sets is unknown. */
  readonly size: SetSize | undefined;
  readonly #newRead: (set: WantedSet) => SetRead;
  /** One after the other. */
  #phases: readonly (readonly SetRead[])[];

  constructor(table: Table, { sets, isExcluded }: WantedClause, known: Known) {
    const sizes = sets.map(({ name }) => known.sizes.get(name, known.now));
    this.#newRead = (set) => new SetRead(table, set, known);
    this.isExcluded = isExcluded;
    this.#phases = phasesOf(sets, sizes).map((phase) => phase.map(this.#newRead));
    const all = this.#reads.map(({ size }) => size?.whole);
    this.size = sizes.includes(undefined)
      ? undefined
      : { whole: sum(all), reach: sum(sizes.map((size) => size?.reach)) };
  }

  get #reads(): readonly SetRead[] {
    return this.#phases.flat();
  }

  get isComplete(): boolean {
    return this.#reads.every(({ isComplete }) => isComplete);
  }

  /** The sort keys of the items with members. */
  get sortKeys(): ReadonlySet<string> {
    return this.#reads.reduce<ReadonlySet<string>>((all, { sortKeys }) => all.union(sortKeys), new Set());
  }

  /** The members, as far as they were read. */
  get numbers(): NumberSet {
    return NumberSet.either(this.#reads.map(({ items }) => NumberSet.ofItems(items)));
  }

  /** The items of all sets but those that are read first and again. */
  get items(): readonly Item[] {
    return this.#phases.slice(this.#phases.length > 1 ? 1 : 0).flatMap((phase) => phase.flatMap(({ items }) => items));
  }

  /** Whether reading it after a clause of this reach is expected to save enough. */
  isWorthwhileAfter(reach: number): boolean {
    return this.size !== undefined && this.size.reach > reach && this.size.whole - reach >= WORTHWHILE;
  }

  /** Reads the sets from their beginnings: as a whole, if it is the only clause or their sizes are known. */
  async begin(isOnly: boolean): Promise<void> {
    for (const phase of this.#phases) {
      await Promise.all(phase.map((read) => read.begin(isOnly)));
      // What is missing of these sets has to be read before the next ones.
      if (!phase.every(({ isComplete }) => isComplete)) return;
    }
    await this.#agree(undefined);
  }

  /** Reads what is missing of the items with these sort keys; all that is missing, if that is cheaper, or there are none. */
  async complete(sortKeys: ReadonlySet<string> | undefined): Promise<void> {
    for (const phase of this.#phases) {
      const unread = phase.filter(({ isComplete }) => !isComplete);
      await Promise.all(unread.map((read) => read.complete(sortKeys)));
    }
    await this.#agree(sortKeys);
  }

  /** Reads the sets again until their first and last readings agree, as far as the items with these sort keys go, or that would take too much. */
  async #agree(sortKeys: ReadonlySet<string> | undefined): Promise<void> {
    let units = 0;
    for (let again = 0; again < MOST_AGAIN && !this.#isAgreed(sortKeys); again++) {
      const [, ...later] = this.#phases;
      units += sum(later.flat().map((read) => read.units));
      if (units > MOST_UNITS_AGAIN) return;
      const reread = later.map((phase) => phase.map(({ set }) => this.#newRead(set)));
      for (const phase of reread) await Promise.all(phase.map((read) => read.complete(sortKeys)));
      this.#phases = [later.at(-1) ?? [], ...reread];
    }
  }

  #isAgreed(sortKeys: ReadonlySet<string> | undefined): boolean {
    const [first = [], ...later] = this.#phases;
    const last = later.at(-1) ?? first;
    return first.every((read, index) => haveSameMembers(read.items, last[index]?.items ?? [], sortKeys));
  }
}

/** How often sets whose readings do not agree are read once more. */
const MOST_AGAIN = 4;
/** Most read units that this takes: sets of millions change all the time, and would never agree. */
const MOST_UNITS_AGAIN = 100;

/** Whether two readings of a set have the same words; only in the items with these sort keys, where they are given. */
function haveSameMembers(
  before: readonly Item[],
  after: readonly Item[],
  sortKeys: ReadonlySet<string> | undefined,
): boolean {
  const [one, other] = [itemsAt(before, sortKeys), itemsAt(after, sortKeys)];
  return [...new Set([...one.keys(), ...other.keys()])].every((sortKey) =>
    WORD_NAMES.every((word) => (one.get(sortKey)?.[word] ?? 0) === (other.get(sortKey)?.[word] ?? 0)),
  );
}

const itemsAt = (items: readonly Item[], sortKeys: ReadonlySet<string> | undefined): ReadonlyMap<string, Item> =>
  new Map(
    items
      .map((item) => [String(item.SK), item] as const)
      .filter(([sortKey]) => sortKeys === undefined || sortKeys.has(sortKey)),
  );

/** Which sets are read one after the other. */
function phasesOf(sets: readonly WantedSet[], sizes: readonly (SetSize | undefined)[]): (readonly WantedSet[])[] {
  if (sets.length === 1) return [sets];
  const most = Math.max(...sizes.map((size) => size?.whole ?? 0));
  const largest = most < WORTHWHILE ? undefined : sets[sizes.findIndex((size) => size?.whole === most)];
  if (largest === undefined) return [sets, sets];
  const others = sets.filter((set) => set !== largest);
  return [others, [largest], others];
}

const sum = (numbers: readonly (number | undefined)[]): number =>
  numbers.reduce<number>((total, number) => total + (number ?? 0), 0);
