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
 * The union of both readings is taken. Only a record that moves there and back within these milliseconds could be in none of them. One that leaves
 * all sets meanwhile may be a member all the same, as it may where one set is read: it was one when the reading began.
 */
export class ClauseRead {
  readonly isExcluded: boolean;
  /** Estimated; undefined where the size of one of its sets is unknown. */
  readonly size: SetSize | undefined;
  /** One after the other. */
  readonly #phases: readonly (readonly SetRead[])[];

  constructor(table: Table, { sets, isExcluded }: WantedClause, known: Known) {
    const sizes = sets.map(({ name }) => known.sizes.get(name, known.now));
    const newRead = (set: WantedSet) => new SetRead(table, set, known);
    this.isExcluded = isExcluded;
    this.#phases = phasesOf(sets, sizes).map((phase) => phase.map(newRead));
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
  }

  /** Reads what is missing of the items with these sort keys; all that is missing, if that is cheaper, or there are none. */
  async complete(sortKeys: ReadonlySet<string> | undefined): Promise<void> {
    for (const phase of this.#phases) {
      const unread = phase.filter(({ isComplete }) => !isComplete);
      await Promise.all(unread.map((read) => read.complete(sortKeys)));
    }
  }
}

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
