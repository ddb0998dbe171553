import { randomUUID } from 'node:crypto';
import { count } from '../../telemetry/invocation.ts';
import type { Table } from '../connection/client.ts';
import type { TenantId } from '../keys.ts';
import { retry, type TimeLimit } from '../transaction/retry.ts';
import { UnitOfWork } from '../transaction/unit-of-work.ts';
import { stageReturn } from './fence.ts';
import { type List, type TakenNumber, takeNumber } from './head.ts';

/** Longest time for giving numbers back, in milliseconds: readers fence the rest. */
const GIVING_BACK_MS = 1_000;

interface TenantsNumber extends TakenNumber {
  readonly tenant: TenantId;
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
  /** Numbers that are being taken, by list. */
  readonly #pending = new Map<string, Promise<TenantsNumber>>();

  constructor(taker: Taker) {
    this.#taker = taker;
  }

  /** The next number of a list: a spare one, a pending one, or a new one. */
  async take(tenant: TenantId, list: List): Promise<TakenNumber> {
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

  /** The records are written. */
  confirm(): void {
    this.#inUse = [];
  }

  /** Gives back all unused numbers. Best effort: readers fence those that are not given back. */
  async giveBack(): Promise<void> {
    const unused = [...this.#inUse.splice(0), ...this.#spare.splice(0), ...(await this.#settled())];
    await Promise.allSettled(unused.map((taken) => this.#giveBack(taken)));
  }

  async #takeNew(tenant: TenantId, list: List): Promise<TenantsNumber> {
    const taker = { now: this.#taker.now, by: randomUUID() };
    return { tenant, ...(await retry(() => takeNumber(this.#taker.tableOf(tenant), list, taker), this.#taker)) };
  }

  /** The pending numbers, once they are taken. */
  async #settled(): Promise<TenantsNumber[]> {
    const settled = await Promise.allSettled(this.#pending.values());
    this.#pending.clear();
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
    count('ListReturns');
  }
}
