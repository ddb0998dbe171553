import { EntriesTogether } from './entries-in-advance.ts';
import type { Clock } from './table.ts';

/** How long numbers are kept in stock, in milliseconds: readers spare them for five seconds (`grace-period.ts`). */
const KEPT_MS = 2_000;

/** The numbers of a first range, and how many times as many the next one has where a range was used up in time. */
const FIRST = 8;
const GROWTH = 5;

interface Range<N> {
  readonly size: number;
  /** Epoch milliseconds. */
  readonly until: number;
  readonly numbers: Promise<N[]>;
}

interface Need<N> {
  readonly partition: string;
  /** How many requests may need a number of this list, with this one. */
  readonly left: number;
  readonly clock: Clock;
  readonly allocate: (count: number) => Promise<readonly N[]>;
}

/**
 * Numbers of lists for requests of which each needs one, such as those of a batch: one request allocates a range for
 * several. Ranges grow while they are used up in time, so little is left of one where the table is slow, or where
 * requests are refused.
 */
export class NumberStock<N> {
  /** What they write in advance under these numbers. */
  readonly entries = new EntriesTogether();
  readonly #discard: (unused: readonly N[]) => void;
  readonly #ranges = new Map<string, Range<N>>();

  /** @param discard is called with numbers that nobody will take */
  constructor(discard: (unused: readonly N[]) => void) {
    this.#discard = discard;
  }

  /**
   * The next number of a list.
   * @throws what `allocate` throws, also that of another request whose range this one waits for
   */
  async take(need: Need<N>): Promise<N> {
    const { partition, clock } = need;
    const range = this.#ranges.get(partition);
    const numbers = (await range?.numbers) ?? [];
    // Another request has begun the next range meanwhile.
    if (this.#ranges.get(partition) !== range) return this.take(need);
    const isInTime = range !== undefined && clock() <= range.until;
    const next = isInTime ? numbers.shift() : undefined;
    if (next !== undefined) return next;
    this.#discard(numbers.splice(0));
    return this.#begin(need, isInTime ? range.size * GROWTH : FIRST);
  }

  /** Discards what is left, when no more requests come. */
  async end(): Promise<void> {
    for (const { numbers } of this.#ranges.values()) this.#discard((await numbers.catch(() => [])).splice(0));
  }

  async #begin({ partition, left, clock, allocate }: Need<N>, most: number): Promise<N> {
    const size = Math.min(left, most);
    const allocating = allocate(size);
    const numbers = allocating.then((all) => all.slice(1));
    this.#ranges.set(partition, { size, until: clock() + KEPT_MS, numbers });
    numbers.catch(() => this.#ranges.delete(partition));
    const [first] = await allocating;
    if (first === undefined) throw new Error('no number was allocated');
    return first;
  }
}
