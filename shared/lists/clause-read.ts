import { WORD_NAMES } from './bits.ts';
import { NumberSet } from './number-set.ts';
import type { Item } from './schema.ts';
import { SetRead } from './set-read.ts';
import type { Table } from './table.ts';

/** The sets of a clause: those of any of its values. */
export interface WantedClause {
  /** Their partitions. */
  readonly sets: readonly string[];
  /** Whether their members are those that the list does not have. */
  readonly isExcluded: boolean;
}

type Reading = readonly SetRead[];

/**
 * The reading of a clause: the union of its sets. A record that moves from one of them to another while they are read must not be missing, as it is
 * where its new set is read before the move and its old one after it. So what is read is read again:
 *
 *     first looks ─▶ rest of a set ─▶ first looks              where at most one set is longer than its first look
 *     first looks ─▶ rests ─▶ first looks ─▶ rests             where several are
 *
 * A record has the same sort key in each set. Of two sets, both items are read before and again after, or one of them is, and the other, of the
 * rest, is read once strictly between. In both cases a record that moves once is in the union: if it moves before the later reading of the item
 * that it enters, that reading has it; if not, the earlier reading of the item that it leaves has it. Two rests that were read once, beside each
 * other, would miss it.
 *
 * Where both readings agree, the union is that of one moment between them, but for the rest of a set, whose queries are of several moments, as they
 * are without other values. Where not, all is read once more, as far as that is cheap. A list whose records move all the time has the union of the
 * last two readings in the end: it misses no record that moved once meanwhile, and may have one that left beside one that came. Only a record that
 * moves twice within these milliseconds could be in none of the sets, each time that they are read.
 */
export class ClauseRead {
  readonly isExcluded: boolean;
  /** The last reading, and the one before it. */
  #last: Reading;
  #before: Reading = [];

  /** @param next the list's next number, which may be outdated */
  constructor(table: Table, { sets, isExcluded }: WantedClause, next: () => Promise<number>) {
    this.isExcluded = isExcluded;
    this.#last = sets.map((partition) => new SetRead(table, partition, next));
  }

  get isComplete(): boolean {
    return this.#last.every(({ isComplete }) => isComplete) || this.#before.length > 0;
  }

  get #reads(): Reading {
    return [...this.#before, ...this.#last];
  }

  /** The sort keys of the items with members. */
  get sortKeys(): ReadonlySet<string> {
    return this.#reads.reduce<ReadonlySet<string>>((all, { sortKeys }) => all.union(sortKeys), new Set());
  }

  /** The members, as far as they were read. */
  get numbers(): NumberSet {
    return NumberSet.either(this.#reads.map(({ items }) => NumberSet.ofItems(items)));
  }

  /** All items of one reading. */
  get items(): readonly Item[] {
    return (this.#before.length > 0 ? this.#before : this.#last).flatMap(({ items }) => items);
  }

  /** Reads the first items of the sets, or the sets as a whole. */
  async begin(isWhole: boolean): Promise<void> {
    await Promise.all(this.#last.map((read) => read.begin(isWhole)));
    if (this.isComplete) await this.#readAgain(undefined);
  }

  /** Reads what is missing of the items with these sort keys; all that is missing, if that is cheaper, or there are none. */
  async complete(sortKeys: ReadonlySet<string> | undefined): Promise<void> {
    await completeAll(this.#last, sortKeys);
    await this.#readAgain(sortKeys);
  }

  /** Reads several sets again until two readings agree, as far as the items with these sort keys go, or that would take too much. */
  async #readAgain(sortKeys: ReadonlySet<string> | undefined): Promise<void> {
    if (this.#last.length === 1) return;
    const hasSeveralRests = this.#last.filter(({ hasRest }) => hasRest).length > 1;
    for (let again = 0, units = 0; ; again++) {
      const reading = await Promise.all(this.#last.map((read) => read.again()));
      if (hasSeveralRests) await completeAll(reading, sortKeys);
      [this.#before, this.#last] = [this.#last, reading];
      units += this.#before.reduce((sum, read) => sum + read.units, 0);
      if (again === MOST_AGAIN || units > MOST_UNITS_AGAIN || this.#isAgreed(sortKeys)) return;
      await completeAll(reading, sortKeys);
    }
  }

  #isAgreed(sortKeys: ReadonlySet<string> | undefined): boolean {
    return this.#last.every((read, index) => {
      const before = this.#before[index];
      return haveSameMembers((read.isComplete ? before?.items : before?.look) ?? [], read.items, sortKeys);
    });
  }
}

const completeAll = (reading: Reading, sortKeys: ReadonlySet<string> | undefined): Promise<unknown> =>
  Promise.all(reading.map((read) => read.complete(sortKeys)));

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
