import { randomUUID } from 'node:crypto';
import { count } from '../../telemetry/invocation.ts';
import type { Table } from '../connection/client.ts';
import { TableUnavailable } from '../errors.ts';
import type { TenantId } from '../keys.ts';
import { retry, type TimeLimit } from '../transaction/retry.ts';
import { type List, type TakenNumber, takeNumber } from './head.ts';
import { releaseNumber, type Sent } from './release.ts';

/** Longest time for giving numbers back, in milliseconds: readers fence the rest. */
const GIVING_BACK_MS = 1_000;

/** Longest time from when a number was taken to when its record is sent, in milliseconds. */
const LONGEST_USE = 3_600_000;

/** The highest of all numbers, which no list reaches. */
const NO_NUMBER = 2 ** 48 - 1;

interface TenantsNumber extends TakenNumber {
  readonly tenant: TenantId;
  /** Epoch milliseconds. */
  readonly takenAt: number;
  /** What became of its record, if that was sent. */
  sent: Sent | undefined;
}

/** The request that takes numbers. */
interface Taker extends TimeLimit {
  /** When the request began, in epoch milliseconds. */
  readonly now: number;
  tableOf(tenant: TenantId): Table;
}

/**
 * The list numbers that a request has taken.
 *
 *     prepare → pending ┐
 *     take ─────────────┴→ in use → confirm: their records are written
 *                            │ ↑
 *             keepForNextRun ↓ │ take
 *                           spare → giveBack: no total counts them
 */
export class NumberPool {
  readonly #taker: Taker;
  #inUse: TenantsNumber[] = [];
  #spare: TenantsNumber[] = [];
  /** Whether no numbers are taken: records get {@link NO_NUMBER}, and nothing is sent. */
  isRehearsal = false;
  /** Whether any number was taken. */
  hasTaken = false;
  /** Numbers that are being taken, by list. */
  readonly #pending = new Map<string, Promise<TenantsNumber>>();

  constructor(taker: Taker) {
    this.#taker = taker;
  }

  /** The next number of a list: a spare one, a pending one, or a new one. */
  async take(tenant: TenantId, list: List): Promise<TakenNumber> {
    if (this.isRehearsal) return this.#rehearsed(list);
    const index = this.#spare.findIndex((spare) => spare.list.partition === list.partition);
    const [spare] = index < 0 ? [] : this.#spare.splice(index, 1);
    const pending = this.#pending.get(list.partition);
    if (spare === undefined) this.#pending.delete(list.partition);
    const taken = spare ?? (await (pending ?? this.#takeNew(tenant, list)));
    this.#inUse.push(taken);
    return taken;
  }

  /** Begins to take a number in advance, for the next record of the list. */
  prepare(tenant: TenantId, list: List): void {
    if (this.isRehearsal) return;
    if (this.#pending.has(list.partition) || this.#spare.some((spare) => spare.list.partition === list.partition))
      return;
    const pending = this.#takeNew(tenant, list);
    pending.catch(() => undefined);
    this.#pending.set(list.partition, pending);
  }

  /** Drops a number that was fenced: it needs no giving back. */
  forget(taken: TakenNumber): void {
    this.#inUse = this.#inUse.filter((other) => other !== taken);
  }

  /** Keeps the numbers for the next run of the operation. */
  keepForNextRun(): void {
    this.#spare.push(...this.#inUse.splice(0));
  }

  /**
   * Notes that the records are about to be sent. A request that was paused for long does not send them: nobody else expects that their writer still
   * exists (`verify/tombstones.ts`).
   * @throws TableUnavailable
   */
  noteSent(): void {
    const { clock } = this.#taker;
    if (this.#inUse.some(({ takenAt }) => clock() - takenAt > LONGEST_USE))
      throw new TableUnavailable('the request was paused for too long to be carried out');
    for (const taken of this.#inUse) taken.sent ??= 'answered';
  }

  /** Notes that DynamoDB did not answer an attempt to send the records. */
  noteUnanswered(): void {
    for (const taken of this.#inUse) taken.sent = 'unanswered';
  }

  /** The records are written. */
  confirm(): void {
    this.#inUse = [];
  }

  /** Gives back all unused numbers. Best effort: readers fence those that are not given back. */
  async giveBack(): Promise<void> {
    const unused = [...this.#inUse.splice(0), ...this.#spare.splice(0), ...(await this.#settled())];
    await Promise.allSettled(unused.map((taken) => this.#giveBack(taken)));
  }

  #rehearsed(list: List): TakenNumber {
    const expires = list.retentionDays === undefined ? undefined : Math.ceil(this.#taker.now / 1000);
    const largest = Number.POSITIVE_INFINITY;
    return { list, number: NO_NUMBER, expires, filters: list.filters, upkeep: undefined, largest };
  }

  async #takeNew(tenant: TenantId, list: List): Promise<TenantsNumber> {
    const taker = { now: this.#taker.now, by: randomUUID() };
    const takenAt = this.#taker.clock();
    this.hasTaken = true;
    const taken = await retry(() => takeNumber(this.#taker.tableOf(tenant), list, taker), this.#taker);
    return { tenant, takenAt, sent: undefined, ...taken };
  }

  /** The pending numbers, once they are taken. */
  async #settled(): Promise<TenantsNumber[]> {
    const settled = await Promise.allSettled(this.#pending.values());
    this.#pending.clear();
    return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  }

  async #giveBack({ tenant, list, number, expires, sent }: TenantsNumber): Promise<void> {
    const { clock, deadline } = this.#taker;
    const limit = { clock, deadline: Math.min(deadline, clock() + GIVING_BACK_MS) };
    const { partition } = list;
    await releaseNumber(this.#taker.tableOf(tenant), { partition, number, expires }, { ...limit, sent });
    count('ListReturns');
  }
}
