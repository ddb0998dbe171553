import type { Actor, Origin } from '#identity';
import {
  type AllocatedNumber,
  compactCounterItem,
  type List,
  NumberPool,
  type PendingWrite,
  refusalOf,
  type Table,
  TableUnavailable,
  UnitOfWork,
} from '#lists';
import { type Clock, systemClock } from '../clock.ts';
import { environmentTable, tenantTable } from './connection/client.ts';
import { StaleRead } from './errors.ts';
import { isOfCredentials, PLATFORM, type TenantId } from './keys.ts';

/** One request's access to the table: its clock, its unit of work and the sequence numbers that it has allocated. */
export class Session {
  /** The table with the function's own rights, for reads before the tenant is known (`system/credentials.ts`). */
  readonly table: Table;
  /** The only clock of the session. */
  readonly clock: Clock;
  /** When the request began, in epoch milliseconds: the time of all its writes. */
  readonly now: number;
  /** Until when to retry, in epoch milliseconds of the clock. */
  readonly deadline: number;
  /** Is called with the most units that a list is about to read (`shared/http/request-budget.ts`). May throw. */
  expectUnits: ((units: number) => void) | undefined;
  /** The origin of the changes, for audit events. Without it no audited record can be changed. */
  origin: Origin | undefined;
  readonly #tenantTable: (tenant: TenantId) => Table;
  #work = new UnitOfWork();
  #workers = new Set<TenantId>();
  readonly #numbers = new NumberPool(this);
  #checks: Promise<void>[] = [];
  /** Also those of earlier runs. */
  readonly #begun: Promise<void>[] = [];
  #duringCommit: (() => Promise<void>)[] = [];
  #afterCommit: (() => Promise<void>)[] = [];
  #explain: (error: unknown) => unknown = unchanged;
  #collisions = 0;

  /** @param tenantTable the table with a tenant's own rights; by default `table`, which only works without tenant sessions */
  constructor(table: Table, clock: Clock, deadline: number, tenantTable: (tenant: TenantId) => Table = () => table) {
    this.table = table;
    this.clock = clock;
    this.now = clock();
    this.deadline = deadline;
    this.#tenantTable = tenantTable;
  }

  /** The table with the rights of this tenant only. */
  tableOf(tenant: TenantId): Table {
    return this.#tenantTable(tenant);
  }

  /** Begins to open the tenant's session with AWS, for the calls that will follow. One that follows a failure tries again. */
  openTenant(tenant: TenantId): void {
    this.tableOf(tenant)
      .client.config.credentials()
      .catch(() => undefined);
  }

  /** The request's unit of work, for a tenant to stage its writes in. */
  unitOfWork(tenant: TenantId): UnitOfWork {
    this.#workers.add(tenant);
    return this.#work;
  }

  /** The organization whose changes are staged; undefined where there are none but the platform's own. */
  get organization(): string | undefined {
    return [...this.#workers].find((tenant) => tenant !== PLATFORM);
  }

  get pendingWrites(): readonly PendingWrite[] {
    return this.#work.writes;
  }

  /** The time of this request in the form of timestamps in records. */
  get timestamp(): string {
    return new Date(this.now).toISOString();
  }

  /** Allocates the next number of a tenant's list, or one that an earlier run of the same operation has left unused. */
  async allocateNumber(tenant: TenantId, list: List): Promise<AllocatedNumber> {
    const allocated = await this.#numbers.allocate(this.tableOf(tenant), list);
    const { compaction } = allocated;
    if (compaction !== undefined) this.afterCommit(() => compactCounterItem(this.tableOf(tenant), list, compaction));
    return allocated;
  }

  /** Begins to allocate a number in advance, for the next record of the list. */
  prepareNumber(tenant: TenantId, list: List): void {
    this.#numbers.prepare(this.tableOf(tenant), list);
  }

  /** Drops a number that a reader has fenced. The returned error makes the operation run again, with another number. */
  fenced(allocated: AllocatedNumber): StaleRead {
    this.#numbers.forget(allocated);
    return new StaleRead('the number is fenced');
  }

  /** How often a generated value was already taken. */
  get collisions(): number {
    return this.#collisions;
  }

  /** Counts such a collision. The returned error makes the operation run again. */
  noteCollision(): StaleRead {
    this.#collisions += 1;
    return new StaleRead('a generated value is taken');
  }

  /** Starts a check in parallel to the operation. The commit waits for it, and throws what it throws. */
  check(run: () => Promise<void>): void {
    const check = run();
    check.catch(() => undefined);
    this.#checks.push(check);
    this.#begun.push(check);
  }

  /** Runs a task in parallel to the commit. Best effort: its failure is ignored. */
  duringCommit(task: () => Promise<void>): void {
    this.#duringCommit.push(task);
  }

  /** Sets the actor of the following changes, when it was not known at first: the sender of a webhook. */
  actAs(actor: Actor, operation: string): void {
    this.origin = { requestId: null, sourceAddress: null, ...this.origin, actor, operation };
  }

  /** Runs a task after the commit. Best effort: its failure is ignored. */
  afterCommit(task: () => Promise<void>): void {
    this.#afterCommit.push(task);
  }

  /**
   * Translates the errors of a refused commit: those of a webhook event's operation are about its own input, and the sender needs pointers into
   * the delivery.
   */
  explainRefusals(explain: (error: unknown) => unknown): void {
    this.#explain = explain;
  }

  /** Drops all staged writes and tasks, to run the operation again. */
  restart(): void {
    this.#work = new UnitOfWork();
    this.#workers = new Set();
    this.#checks = [];
    this.#duringCommit = [];
    this.#afterCommit = [];
    this.#explain = unchanged;
    this.#numbers.keepForNextRun();
  }

  /** Whether sequence numbers were allocated. */
  get hasAllocatedNumbers(): boolean {
    return this.#numbers.hasAllocated;
  }

  /**
   * Runs an operation without allocating list numbers, checks the conditions of what it staged by reading, and drops it.
   * @throws what the commit would be refused with, as far as it can be seen beforehand; what the operation throws
   */
  async rehearse(operation: () => Promise<unknown>): Promise<void> {
    this.#numbers.isRehearsal = true;
    try {
      await operation();
      await this.#checkConditions();
    } finally {
      await Promise.allSettled(this.#begun);
      this.#numbers.isRehearsal = false;
      this.restart();
    }
  }

  async #checkConditions(): Promise<void> {
    try {
      await Promise.all(this.#checks);
      const refusal = await refusalOf(this.tableOf(committerOf(this.#workers)), readableOf(this.pendingWrites));
      if (refusal !== undefined) throw refusal;
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /** Commits the staged writes. @throws as {@link UnitOfWork.commit} */
  async commit(): Promise<void> {
    if (this.pendingWrites.length > 0) await this.#send();
    this.#numbers.confirm();
    await this.abandon();
    await Promise.allSettled(this.#afterCommit.map((task) => task()));
  }

  async #send(): Promise<void> {
    try {
      await Promise.all(this.#checks);
      this.#numbers.noteSent();
      const tasks = Promise.allSettled(this.#duringCommit.map((task) => task()));
      const { clock, deadline } = this;
      const sending = { clock, deadline, onNoResponse: () => this.#numbers.noteNoResponse() };
      await this.#work.commit(this.tableOf(committerOf(this.#workers)), sending).finally(() => tasks);
    } catch (error) {
      throw this.#explain(error);
    }
  }

  /**
   * Releases unused numbers, so that no total counts them. Best effort: readers fence what is not released. After
   * {@link TableUnavailable} none is released, because the write may still arrive. Waits for checks whose operation did not: Lambda stops a
   * function once it has answered.
   */
  async abandon(reason?: unknown): Promise<void> {
    await Promise.allSettled(this.#begun);
    if (reason instanceof TableUnavailable) return;
    await this.#numbers.release();
  }
}

/**
 * A session on the table of this function's environment, which begins now.
 * @param timeoutMs time until its deadline, in milliseconds
 */
export const environmentSession = (timeoutMs: number, clock: Clock = systemClock): Session =>
  new Session(environmentTable(), clock, clock() + timeoutMs, tenantTable);

/**
 * The tenant whose credentials send a transaction: the one that staged it. If a platform caller's idempotency key is stored together with
 * changes of an organization, it is the organization: its role allows both where the function may do so at all.
 * @throws Error for a transaction of two organizations
 */
function committerOf(workers: ReadonlySet<TenantId>): TenantId {
  const [organization = PLATFORM, ...others] = [...workers].filter((tenant) => tenant !== PLATFORM);
  if (others.length > 0) throw new Error('one transaction was staged for two organizations');
  return organization;
}

/** Most sessions may not read credentials: the commit decides on their conditions. */
const readableOf = (writes: readonly PendingWrite[]): PendingWrite[] =>
  writes.filter(({ key }) => !isOfCredentials(key));

const unchanged = (error: unknown): unknown => error;
