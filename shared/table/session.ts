import { randomUUID } from 'node:crypto';
import type { Table } from './client.ts';
import { StaleRead, TableUnavailable } from './errors.ts';
import { type TakenNumber, takeNumber } from './lists/count.ts';
import { stageHole } from './lists/stage-hole.ts';
import { persist } from './persist.ts';
import { Work } from './work.ts';

/** A number this old is not written any more: readers will soon take it for lost (`lists/page.ts`). In milliseconds. */
const NUMBER_LIFETIME_MS = 30_000;

/** One request's dealings with the table: its clock, its unit of work and the list numbers it has taken. */
export class Session {
  readonly table: Table;
  /** When the request began, in epoch milliseconds: the time of everything it writes. */
  readonly now: number;
  /** Until when to try, in epoch milliseconds. */
  readonly deadline: number;
  #work: Work;
  #inUse: TakenNumber[] = [];
  #spare: TakenNumber[] = [];
  #afterCommit: (() => Promise<void>)[] = [];

  constructor(table: Table, now: number, deadline: number) {
    this.table = table;
    this.now = now;
    this.deadline = deadline;
    this.#work = new Work(table, deadline);
  }

  get work(): Work {
    return this.#work;
  }

  /** The time of this request as it stands in records. */
  get timestamp(): string {
    return new Date(this.now).toISOString();
  }

  /** Takes the next number of a list, or one that an earlier run of the same operation took and did not use. */
  async takeNumber(list: string, retentionDays?: number): Promise<TakenNumber> {
    const index = this.#spare.findIndex((number) => number.list === list && isFresh(number));
    const [spare] = index < 0 ? [] : this.#spare.splice(index, 1);
    const number = spare ?? (await this.#takeFresh(list, retentionDays));
    this.#inUse.push(number);
    return number;
  }

  #takeFresh(list: string, retentionDays: number | undefined): Promise<TakenNumber> {
    const by = randomUUID();
    return persist(() => takeNumber(this.table, list, retentionDays, this.now, by), this.deadline);
  }

  /** Has something done once the work is committed. It is a chore: its failure is nobody's error. */
  afterCommit(chore: () => Promise<void>): void {
    this.#afterCommit.push(chore);
  }

  /** Forgets what is staged, to run the operation again. */
  restart(): void {
    this.#work = new Work(this.table, this.deadline);
    this.#afterCommit = [];
    this.#spare.push(...this.#inUse.splice(0));
  }

  /** Commits what is staged. @throws as {@link Work.commit} */
  async commit(): Promise<void> {
    if (!this.#inUse.every(isFresh)) throw new StaleRead('list numbers have grown old');
    await this.#work.commit();
    this.#inUse = [];
    await this.abandon();
    await Promise.allSettled(this.#afterCommit.map((chore) => chore()));
  }

  /**
   * Gives up the numbers that were taken for nothing, so that no total counts them. Best effort: what is not given back here
   * is mended by the readers. After {@link TableUnavailable} nothing is: the write may yet arrive.
   */
  async abandon(reason?: unknown): Promise<void> {
    if (reason instanceof TableUnavailable) return;
    const givingBack = new Work(this.table, this.deadline);
    for (const { list, number } of [...this.#inUse.splice(0), ...this.#spare.splice(0)])
      stageHole(givingBack, list, number);
    await givingBack.commit().catch(() => undefined);
  }
}

const isFresh = (number: TakenNumber): boolean => Date.now() - number.at < NUMBER_LIFETIME_MS;
