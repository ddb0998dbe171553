import { randomUUID } from 'node:crypto';
import type { Table } from '../connection/client.ts';
import type { TenantId } from '../keys.ts';
import { retry, type TimeLimit } from '../transaction/retry.ts';
import { UnitOfWork } from '../transaction/unit-of-work.ts';
import { stageReturn } from './fence.ts';
import { type List, type TakenNumber, takeNumber } from './head.ts';

/** Longest wait for giving numbers back: readers fence what is left. In milliseconds. */
const GIVING_BACK_MS = 1_000;

/** A number, and for whom it was taken. */
interface TenantsNumber extends TakenNumber {
  readonly tenant: TenantId;
}

/** For whom numbers are taken: a request. */
interface Taker extends TimeLimit {
  /** When the request began, in epoch milliseconds. */
  readonly now: number;
  tableOf(tenant: TenantId): Table;
}

/**
 * The list numbers that a request has taken.
 *
 *     prepare → coming ┐
 *     take ────────────┴→ in use → confirm: they are their records'
 *                           │ ↑
 *            keepForNextRun ↓ │ take
 *                          spare → giveBack: no total counts them
 */
export class NumberPool {
  readonly #taker: Taker;
  #inUse: TenantsNumber[] = [];
  #spare: TenantsNumber[] = [];
  /** Numbers that are being taken, by list. */
  readonly #coming = new Map<string, Promise<TenantsNumber>>();

  constructor(taker: Taker) {
    this.#taker = taker;
  }

  /** The next number of a list: a spare one, one that is coming, or a fresh one. */
  async take(tenant: TenantId, list: List): Promise<TakenNumber> {
    const index = this.#spare.findIndex((spare) => spare.list.partition === list.partition);
    const [spare] = index < 0 ? [] : this.#spare.splice(index, 1);
    const coming = this.#coming.get(list.partition);
    if (spare === undefined) this.#coming.delete(list.partition);
    const taken = spare ?? (await (coming ?? this.#takeFresh(tenant, list)));
    this.#inUse.push(taken);
    return taken;
  }

  /** Begins to take a number, which the next record of the list is given. */
  prepare(tenant: TenantId, list: List): void {
    if (this.#coming.has(list.partition) || this.#spare.some((spare) => spare.list.partition === list.partition))
      return;
    const coming = this.#takeFresh(tenant, list);
    coming.catch(() => undefined);
    this.#coming.set(list.partition, coming);
  }

  /** A number whose place somebody has closed is of no use to anybody. */
  forget(taken: TakenNumber): void {
    this.#inUse = this.#inUse.filter((other) => other !== taken);
  }

  /** The operation will be run again, and shall take the same numbers. */
  keepForNextRun(): void {
    this.#spare.push(...this.#inUse.splice(0));
  }

  /** The records are written. */
  confirm(): void {
    this.#inUse = [];
  }

  /** Gives up the numbers that were taken for nothing. Best effort: what is not given back here is fenced by readers. */
  async giveBack(): Promise<void> {
    const unused = [...this.#inUse.splice(0), ...this.#spare.splice(0), ...(await this.#arrived())];
    await Promise.allSettled(unused.map((taken) => this.#giveBack(taken)));
  }

  async #takeFresh(tenant: TenantId, list: List): Promise<TenantsNumber> {
    const taker = { now: this.#taker.now, by: randomUUID() };
    return { tenant, ...(await retry(() => takeNumber(this.#taker.tableOf(tenant), list, taker), this.#taker)) };
  }

  /** Numbers that were to come and that nobody wants. */
  async #arrived(): Promise<TenantsNumber[]> {
    const settled = await Promise.allSettled(this.#coming.values());
    this.#coming.clear();
    return settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  }

  async #giveBack(taken: TenantsNumber): Promise<void> {
    const { clock, deadline } = this.#taker;
    const work = new UnitOfWork();
    stageReturn(work, taken);
    await work.commit(this.#taker.tableOf(taken.tenant), {
      clock,
      deadline: Math.min(deadline, clock() + GIVING_BACK_MS),
    });
  }
}
