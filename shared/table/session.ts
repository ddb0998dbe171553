import { type Clock, systemClock } from '../clock.ts';
import type { Actor, Origin } from '../identity/actor.ts';
import { environmentTable, type Table, tenantTable } from './connection/client.ts';
import { StaleRead, TableUnavailable } from './errors.ts';
import { PLATFORM, type TenantId } from './keys.ts';
import { keepHeadSmall, type List, type TakenNumber } from './lists/head.ts';
import { NumberPool } from './lists/number-pool.ts';
import type { PendingWrite } from './transaction/pending-write.ts';
import { UnitOfWork } from './transaction/unit-of-work.ts';

/** One request's dealings with the table: its clock, its unit of work and the list numbers it has taken. */
export class Session {
  /** As the function itself reaches the table: for what is known of an integration before its tenant is (`credentials.ts`). */
  readonly table: Table;
  /** The one clock of everything that is done in the session. */
  readonly clock: Clock;
  /** When the request began, in epoch milliseconds: the time of everything it writes. */
  readonly now: number;
  /** Until when to try, in epoch milliseconds of the clock. */
  readonly deadline: number;
  /** Who asks for what is done here. Without it no audited record is changed. */
  origin: Origin | undefined;
  readonly #tenantTable: (tenant: TenantId) => Table;
  #work = new UnitOfWork();
  #workers = new Set<TenantId>();
  readonly #numbers = new NumberPool(this);
  #checks: Promise<void>[] = [];
  #beside: (() => Promise<void>)[] = [];
  #afterCommit: (() => Promise<void>)[] = [];
  #explain: (error: unknown) => unknown = asItIs;
  #clashes = 0;

  /** @param tenantTable the table as it is reached for a tenant; without it for all of them alike, which AWS would refuse */
  constructor(table: Table, clock: Clock, deadline: number, tenantTable: (tenant: TenantId) => Table = () => table) {
    this.table = table;
    this.clock = clock;
    this.now = clock();
    this.deadline = deadline;
    this.#tenantTable = tenantTable;
  }

  /** The table as it is reached for this tenant, and with nobody else's credentials. */
  tableOf(tenant: TenantId): Table {
    return this.#tenantTable(tenant);
  }

  /** The request's unit of work, for a tenant to stage its writes in. */
  unitOfWork(tenant: TenantId): UnitOfWork {
    this.#workers.add(tenant);
    return this.#work;
  }

  /** What is staged so far. */
  get pendingWrites(): readonly PendingWrite[] {
    return this.#work.writes;
  }

  /** The time of this request as it stands in records. */
  get timestamp(): string {
    return new Date(this.now).toISOString();
  }

  /** Takes for a tenant the next number of a list, or one that an earlier run of the same operation took and did not use. */
  async takeNumber(tenant: TenantId, list: List): Promise<TakenNumber> {
    const taken = await this.#numbers.take(tenant, list);
    const { upkeep } = taken;
    if (upkeep !== undefined) this.afterCommit(() => keepHeadSmall(this.tableOf(tenant), list, upkeep));
    return taken;
  }

  /** Begins to take a number, which the next record of the list is given. */
  prepareNumber(tenant: TenantId, list: List): void {
    this.#numbers.prepare(tenant, list);
  }

  /** Notes that the place of a number was found occupied: a reader has fenced it. The error has the operation run again, with another. */
  fenced(taken: TakenNumber): StaleRead {
    this.#numbers.forget(taken);
    return new StaleRead('the number is fenced');
  }

  /** How often a value that the service generated was found taken. */
  get clashes(): number {
    return this.#clashes;
  }

  /** Notes such a clash; the error has the operation run again. */
  clash(): StaleRead {
    this.#clashes += 1;
    return new StaleRead('a generated value is taken');
  }

  /** Begins to look at something that must hold: the commit waits for it, and throws what it throws. */
  check(look: () => Promise<void>): void {
    const check = look();
    check.catch(() => undefined);
    this.#checks.push(check);
  }

  /** Has something advisory done while the work is committed. Its failure is ignored. */
  beside(task: () => Promise<void>): void {
    this.#beside.push(task);
  }

  /** Has what follows be somebody's doing who was not known when the request began: the sender of a webhook. */
  actAs(actor: Actor, operation: string): void {
    this.origin = { requestId: null, sourceAddress: null, ...this.origin, actor, operation };
  }

  /** Has something done once the work is committed. Its failure is ignored. */
  afterCommit(task: () => Promise<void>): void {
    this.#afterCommit.push(task);
  }

  /**
   * Has the errors with which the commit is refused told in other words: the operation of a webhook event speaks of its own input, its
   * sender must be told of the delivery.
   */
  explainRefusals(explain: (error: unknown) => unknown): void {
    this.#explain = explain;
  }

  /** Forgets what is staged, to run the operation again. */
  restart(): void {
    this.#work = new UnitOfWork();
    this.#workers = new Set();
    this.#checks = [];
    this.#beside = [];
    this.#afterCommit = [];
    this.#explain = asItIs;
    this.#numbers.keepForNextRun();
  }

  /** Commits what is staged. @throws as {@link UnitOfWork.commit} */
  async commit(): Promise<void> {
    if (this.pendingWrites.length > 0) await this.#send();
    this.#numbers.confirm();
    await this.abandon();
    await Promise.allSettled(this.#afterCommit.map((task) => task()));
  }

  async #send(): Promise<void> {
    try {
      await Promise.all(this.#checks);
      const tasks = Promise.allSettled(this.#beside.map((task) => task()));
      await this.#work.commit(this.tableOf(committerOf(this.#workers)), this).finally(() => tasks);
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /**
   * Gives up the numbers that were taken for nothing, so that no total counts them. Best effort: what is not given back here
   * is fenced by the readers. After {@link TableUnavailable} nothing is: the write may yet arrive.
   */
  async abandon(reason?: unknown): Promise<void> {
    if (reason instanceof TableUnavailable) return;
    await this.#numbers.giveBack();
  }
}

/**
 * A session with the table of this function's environment, that begins now.
 * @param timeoutMs how long it may take, in milliseconds
 */
export const environmentSession = (timeoutMs: number, clock: Clock = systemClock): Session =>
  new Session(environmentTable(), clock, clock() + timeoutMs, tenantTable);

/**
 * The tenant with whose credentials a transaction is sent: the one that staged it. Where the platform remembers its own request
 * beside what that request did in an organization, the organization's: they reach that memory too, if the function may do so at all.
 * @throws Error for a transaction of two organizations, which there cannot be
 */
function committerOf(workers: ReadonlySet<TenantId>): TenantId {
  const [organization = PLATFORM, ...others] = [...workers].filter((tenant) => tenant !== PLATFORM);
  if (others.length > 0) throw new Error('one transaction was staged for two organizations');
  return organization;
}

const asItIs = (error: unknown): unknown => error;
