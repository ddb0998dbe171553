import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { NUMBERS } from './bits.ts';
import { type AllocatedNumber, allocateNumbers, type List, noteLargest, noteUnbuilt } from './counter-item.ts';
import { type EntryItem, type Writes, writeEntries } from './entries-in-advance.ts';
import { TableUnavailable } from './errors.ts';
import { releaseNumbers, type Sent } from './fence.ts';
import { without } from './indexes/list-index.ts';
import { NumberStock } from './number-stock.ts';
import { LARGE } from './read-budget.ts';
import { nameOf } from './schema.ts';
import { retry, type Table, type TimeLimit } from './table.ts';
import type { Contention } from './transaction/contention.ts';

/** Longest time for releasing numbers, in milliseconds: readers fence the rest. */
const RELEASE_MS = 1_000;

/** Longest time from a number's allocation to the sending of its record, in milliseconds; shorter in ordered lists. */
const LONGEST_USE = 3_600_000;
export const LONGEST_ORDERED_USE = 60_000;

/** The highest of all numbers, which no list reaches. */
const NO_NUMBER = NUMBERS - 1;

interface PooledNumber extends AllocatedNumber {
  readonly table: Table;
  /** Epoch milliseconds. */
  readonly allocatedAt: number;
  /** Whether no record of this run has it. */
  isSpare: boolean;
  /** The outcome of its record, if that was sent. */
  sent: Sent | undefined;
  /** The entries of its record that are to be written in advance. */
  entries: readonly EntryItem[];
  /** The entries that are written, or may be. */
  entered: readonly EntryItem[];
  /** Their writing, if it has begun. */
  entering: Promise<boolean> | undefined;
  /** Whether each attempt to write them was answered. */
  isCertain: boolean;
}

/** The request that allocates numbers. */
interface AllocatingRequest extends TimeLimit {
  /** When the request began, in epoch milliseconds. */
  readonly now: number;
  readonly contention: Contention;
  /** The stock of a batch, and how many of its requests like this one are left, with it. */
  readonly batch?:
    | { readonly shared: { readonly numbers: NumberStock<PooledNumber> }; readonly left: number }
    | undefined;
}

/**
 * The sequence numbers of lists that a request has allocated.
 *
 *     prepare → pending ┐
 *     allocate ─────────┴→ in use → confirm: their records are written
 *                            │ ↑
 *                   nextRun ↓ │ allocate
 *                           spare → release: no total counts them
 *
 * A number of an ordered list is never spare: the next run of the operation reads again, and takes a later number. Nor
 * is one whose entries may be written late.
 * @example const { number, expires } = await pool.allocate(table, list)
 */
export class NumberPool {
  readonly #request: AllocatingRequest;
  /** Those in use, and spare ones. */
  readonly #numbers = new Set<PooledNumber>();
  /** Numbers that are being allocated in advance, by list. */
  readonly #pending = new Map<string, Promise<readonly PooledNumber[]>>();
  /** Ranges that are about to be allocated, by list. */
  readonly #joined = new Map<string, { count: number; readonly range: Promise<readonly PooledNumber[]> }>();
  /** Numbers that are being released, and entries that are being withdrawn. */
  #releasing: Promise<void>[] = [];
  #unreleased = 0;
  /** Whether no numbers are allocated: records get {@link NO_NUMBER}, and nothing is sent. */
  isTrial = false;
  /** Whether any number was allocated. */
  hasAllocated = false;

  constructor(request: AllocatingRequest) {
    this.#request = request;
  }

  /** How many numbers are to be released unless their records are written, or are being released. */
  get unused(): number {
    return this.#numbers.size + this.#pending.size + this.#unreleased;
  }

  /**
   * The next number of a list: a spare one, a pending one, one in the stock of the batch, or a new one.
   * @param mayBeEarly whether it may have been allocated before this call; by default not in an ordered list
   */
  async allocate(table: Table, list: List, mayBeEarly = !list.ordered): Promise<AllocatedNumber> {
    const [allocated] = await this.allocateAll(table, list, 1, mayBeEarly);
    if (allocated === undefined) throw new Error('no number was allocated');
    return allocated;
  }

  /** Returns this many numbers of a list in order: spare ones, a pending one, and one new range. */
  async allocateAll(table: Table, list: List, count: number, mayBeEarly = false): Promise<readonly AllocatedNumber[]> {
    if (this.isTrial) return Array.from({ length: count }, (_, index) => this.#trialNumber(list, count - 1 - index));
    const numbers = this.#spareOf(list).slice(0, count);
    for (const spare of numbers) spare.isSpare = false;
    const add = (added: readonly PooledNumber[]): void => {
      for (const each of added) this.#numbers.add(each);
      numbers.push(...added);
    };
    const pending = this.#pending.get(list.partition);
    if (pending !== undefined && numbers.length < count) {
      this.#pending.delete(list.partition);
      add(await pending);
    }
    if (numbers.length < count) add(await this.#more(table, list, count - numbers.length, mayBeEarly));
    return numbers.toSorted((one, other) => one.number - other.number);
  }

  #spareOf({ partition }: List): PooledNumber[] {
    return [...this.#numbers].filter(({ isSpare, list }) => isSpare && list.partition === partition);
  }

  get #inUse(): PooledNumber[] {
    return [...this.#numbers].filter(({ isSpare }) => !isSpare);
  }

  /** Begins to allocate a number in advance, for the next record of the list. */
  prepare(table: Table, list: List): void {
    if (this.isTrial || list.ordered) return;
    if (this.#pending.has(list.partition) || this.#spareOf(list).length > 0) return;
    const pending = this.#allocateRange(table, list, 1);
    pending.catch(() => undefined);
    this.#pending.set(list.partition, pending);
  }

  /** Whether {@link noteLargest} notes a record of this size, in bytes. */
  static isLarge = (bytes: number): boolean => bytes >= LARGE;

  /** Notes the size of a list's record, in bytes, as {@link noteLargest} does. */
  noteLargest(table: Table, list: List, bytes: number): Promise<void> {
    return noteLargest(table, list, bytes);
  }

  /** Notes that indexes of a list are not built any more, as {@link noteUnbuilt} does. */
  noteUnbuilt(table: Table, list: List, indexes: readonly string[]): Promise<void> {
    return retry(() => noteUnbuilt(table, list, indexes), this.#request);
  }

  /** Drops a number that was fenced: it is not released. */
  forget(fenced: AllocatedNumber): void {
    this.#numbers.delete(fenced as PooledNumber);
    this.#releasing.push(this.#withdraw(fenced as PooledNumber));
  }

  /** Notes the entries of a number's record that are written before it. */
  noteEntries(allocated: AllocatedNumber, entries: readonly EntryItem[]): void {
    if (!this.isTrial) (allocated as PooledNumber).entries = entries;
  }

  /**
   * Writes the noted entries of all numbers in use, as far as an earlier run has not, and deletes others of that run.
   * @returns whether each attempt got a response. Else these numbers must get no record: the next run takes others.
   */
  async putEntries(): Promise<boolean> {
    const writing = this.#inUse.map(async (allocated) => {
      const { table, entries, entered, sent } = allocated;
      const put = without(entries, entered, isDeepStrictEqual);
      const gone = without(entered, entries, isAtOnePlace);
      if (put.length + gone.length === 0) return true;
      // Its record may be written yet, with the entries of the earlier run.
      if (sent === 'no-response') throw new TableUnavailable('an earlier attempt may be carried out yet');
      allocated.entered = [...without(entered, put, isAtOnePlace), ...put];
      allocated.isCertain = false;
      allocated.entering = this.#write(table, { put, gone });
      return allocated.entering.then((isCertain) => {
        allocated.isCertain = isCertain;
        if (isCertain) allocated.entered = entries;
        return isCertain;
      });
    });
    return !(await Promise.all(writing)).includes(false);
  }

  #write(table: Table, writes: Writes): Promise<boolean> {
    const { batch } = this.#request;
    return batch === undefined
      ? writeEntries(table, writes, this.#request)
      : batch.shared.numbers.entries.write(table, writes, this.#request);
  }

  /** Deletes the entries of a number that never gets a record. Best effort: they count for nothing. */
  async #withdraw({ table, entered, entering }: PooledNumber): Promise<void> {
    if (entering === undefined) return;
    await entering.catch(() => undefined);
    await writeEntries(table, { put: [], gone: entered }, this.#limitOfRelease).catch(() => undefined);
  }

  get #limitOfRelease(): TimeLimit {
    const { clock, deadline, observer } = this.#request;
    return { clock, deadline: Math.min(deadline, clock() + RELEASE_MS), observer };
  }

  /** Keeps the numbers for the next run of the operation, and begins to release those that it must not use. */
  nextRun(): void {
    for (const allocated of this.#inUse) {
      allocated.entries = [];
      allocated.isSpare = !allocated.list.ordered && allocated.isCertain;
    }
    this.#releasing.push(this.#release(this.#inUse));
  }

  /** A stock of numbers for other requests. This one releases what is left of it. */
  stock(): NumberStock<PooledNumber> {
    return new NumberStock((unused) => void this.#releasing.push(this.#release(unused)));
  }

  /**
   * Notes that the records are about to be sent. A request that was paused for long does not send them, because others
   * assume that their writer no longer exists (`verify/tombstones.ts`).
   * @throws TableUnavailable
   */
  noteSent(): void {
    const { clock } = this.#request;
    const longestOf = ({ ordered }: List) => (ordered ? LONGEST_ORDERED_USE : LONGEST_USE);
    if (this.#inUse.some(({ allocatedAt, list }) => clock() - allocatedAt > longestOf(list)))
      throw new TableUnavailable('the request was paused for too long to be carried out');
    for (const allocated of this.#inUse) allocated.sent ??= 'responded';
  }

  /** Notes that DynamoDB did not respond to an attempt to send the records. */
  noteNoResponse(): void {
    for (const allocated of this.#inUse) allocated.sent = 'no-response';
  }

  /** The records are written. */
  confirm(): void {
    for (const written of this.#inUse) this.#numbers.delete(written);
  }

  /** Waits for the releases that were begun: Lambda stops a function once it has responded. */
  async settle(): Promise<void> {
    await Promise.all(this.#releasing.splice(0));
  }

  /** Releases all unused numbers. Best effort: readers fence those that are not released. */
  async release(): Promise<void> {
    const pending = await Promise.allSettled(this.#pending.values());
    this.#pending.clear();
    const prepared = pending.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    const unused = [...this.#numbers, ...prepared];
    if (unused.length > 0) this.#releasing.push(this.#release(unused));
    await this.settle();
  }

  /** @param below how far below {@link NO_NUMBER}: several records of one trial run need several numbers */
  #trialNumber(list: List, below: number): AllocatedNumber {
    const expires = list.retentionDays === undefined ? undefined : Math.ceil(this.#request.now / 1000);
    const largest = Number.POSITIVE_INFINITY;
    return { list, number: NO_NUMBER - below, expires, filters: list.filters, largest };
  }

  async #more(table: Table, list: List, count: number, mayBeEarly: boolean): Promise<readonly PooledNumber[]> {
    const { batch, clock } = this.#request;
    const allocate = (many: number) => this.#allocateRange(table, list, many);
    if (batch === undefined || !mayBeEarly) return this.#joinRange(list, count, allocate);
    this.hasAllocated = true;
    return [await batch.shared.numbers.take({ partition: list.partition, left: batch.left, clock, allocate })];
  }

  /** Takes part in the range that is about to be allocated: of records that are staged at the same time. */
  async #joinRange(
    { partition }: List,
    count: number,
    allocate: (many: number) => Promise<readonly PooledNumber[]>,
  ): Promise<readonly PooledNumber[]> {
    const begin = async (): Promise<readonly PooledNumber[]> => {
      await undefined;
      this.#joined.delete(partition);
      return allocate(joined.count);
    };
    const joined = this.#joined.get(partition) ?? { count: 0, range: begin() };
    this.#joined.set(partition, joined);
    const first = joined.count;
    joined.count += count;
    return (await joined.range).slice(first, first + count);
  }

  async #allocateRange(table: Table, list: List, count: number): Promise<readonly PooledNumber[]> {
    const allocation = { now: this.#request.now, by: randomUUID(), count };
    const allocatedAt = this.#request.clock();
    this.hasAllocated = true;
    const range = await retry(() => allocateNumbers(table, list, allocation), this.#request);
    const unused = { isSpare: false, sent: undefined, entries: [], entered: [], entering: undefined, isCertain: true };
    return range.map((allocated) => ({ table, allocatedAt, ...unused, ...allocated }));
  }

  /** Releases numbers, those of a list together: they share the items of its gaps. */
  async #release(unused: readonly PooledNumber[]): Promise<void> {
    for (const allocated of unused) this.#numbers.delete(allocated);
    this.#unreleased += unused.length;
    const together = Map.groupBy(unused, ({ list, sent }) => `${list.partition} ${sent}`);
    const releasing = Array.from(together.values(), async (some) => {
      const [{ table, sent }] = some as [PooledNumber];
      const limit = this.#limitOfRelease;
      const contention = this.#request.contention.ofRelease(limit);
      const numbers = some.map((each) => ({ ...each, partition: each.list.partition }));
      await releaseNumbers(table, numbers, { ...limit, sent, contention, withdraw: (each) => this.#withdraw(each) });
      this.#unreleased -= some.length;
    });
    await Promise.allSettled(releasing);
  }
}

const isAtOnePlace = (one: EntryItem, other: EntryItem): boolean => nameOf(one) === nameOf(other);
