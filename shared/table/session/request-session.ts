import { Contention, listErrors, NumberPool, type Table } from '@custodia/counted-lists';
import type { Actor, Origin } from '#identity';
import { type Clock, systemClock, type TimeLimit } from '../../clock.ts';
import {
  type Credentials,
  environmentTable,
  observer,
  TenantTables,
  tableWith,
  tenantTable,
} from '../connection/client.ts';
import { StaleRead } from '../errors.ts';
import type { TenantId } from '../keys.ts';
import { SharedByBatch } from './shared-by-batch.ts';
import { StagedChanges } from './staged-changes.ts';

/**
 * One request's access to the table, from its first read to its commit. It is the handle that requests pass around:
 * each part has one job, and the session itself says what happens to them when an operation ends, runs again or has
 * a trial run.
 */
export class RequestSession implements TimeLimit {
  /** The only clock of the request. */
  readonly clock: Clock;
  /** When the request began, in epoch milliseconds: the time of all its writes. */
  readonly now: number;
  #timestamp: string | undefined;
  /** Until when to retry, in epoch milliseconds of the clock. */
  readonly deadline: number;
  /** Also of retries. */
  readonly observer = observer;
  readonly tables: TenantTables;
  readonly changes: StagedChanges;
  /** The numbers of the records that the request creates. */
  readonly numbers: NumberPool;
  readonly contention: Contention;
  readonly audit = new AuditOrigin();
  /** What the operations of its batch share, and how many like this one have not begun, with it. */
  batch: { readonly shared: SharedByBatch; readonly left: number } | undefined;
  /** How often a generated value was already taken. */
  collisions = 0;
  /** Is called with the units that the request will take, where they are known (`request-budget.ts`). May throw. */
  expectUnits: ((units: number) => void) | undefined;

  /** @param tenantTable the table with a tenant's rights; by default `table`, where tenants have no STS sessions */
  constructor(table: Table, clock: Clock, deadline: number, tenantTable: (tenant: TenantId) => Table = () => table) {
    this.clock = clock;
    this.now = clock();
    this.deadline = deadline;
    this.tables = new TenantTables(table, tenantTable);
    this.contention = new Contention(this, () => this.numbers.unused);
    this.changes = new StagedChanges(this.tables);
    this.numbers = new NumberPool(this);
  }

  /**
   * A session on the table of this function's environment, which begins now.
   * @param timeoutMs time until its deadline, in milliseconds
   */
  static ofEnvironment(timeoutMs: number, clock: Clock = systemClock): RequestSession {
    return new RequestSession(environmentTable(), clock, clock() + timeoutMs, tenantTable);
  }

  /** Another session for the same request, with a unit of work of its own. @param timeoutMs by default what is left */
  beside(timeoutMs = this.deadline - this.clock()): RequestSession {
    const session = RequestSession.ofEnvironment(timeoutMs, this.clock);
    session.audit.origin = this.audit.origin;
    return session;
  }

  /** As {@link ofEnvironment}, with the rights of these credentials alone. For the operator's commands. */
  static withRightsOf(credentials: Credentials, timeoutMs: number, clock: Clock = systemClock): RequestSession {
    return new RequestSession(tableWith(credentials), clock, clock() + timeoutMs);
  }

  /** What the sessions of this session's batch share. @param ids as in {@link SharedByBatch} */
  share(ids: readonly string[]): SharedByBatch {
    return new SharedByBatch(this.numbers.stock(), ids);
  }

  /** {@link now} in the form of timestamps in records. */
  get timestamp(): string {
    this.#timestamp ??= new Date(this.now).toISOString();
    return this.#timestamp;
  }

  /** Counts that a generated value is taken. The returned error makes the operation run again, with another value. */
  noteCollision(): StaleRead {
    this.collisions += 1;
    return new StaleRead('a generated value is taken');
  }

  /** Drops all staged changes, to run the operation again. */
  restart(): void {
    this.changes.drop();
    this.numbers.nextRun();
  }

  /**
   * Runs an operation without allocating list numbers, checks the conditions of what it staged by reading, and drops
   * it.
   * @throws what the commit would be refused with, as far as it can be seen beforehand; what the operation throws
   */
  async runOnTrial(operation: () => Promise<unknown>): Promise<void> {
    this.numbers.isTrial = true;
    try {
      await operation();
      await this.changes.checkConditions();
    } finally {
      await this.changes.settle();
      this.numbers.isTrial = false;
      this.restart();
    }
  }

  /** Commits the staged writes. @throws as {@link StagedChanges.send} */
  async commit(): Promise<void> {
    await this.changes.send(this, this.numbers);
    this.numbers.confirm();
    await this.abandon();
    await this.changes.runTasksAfterCommit();
  }

  /**
   * Releases unused numbers, so that no total counts them. Best effort: readers fence what is not released. After
   * {@link TableUnavailable} none is released, because the write may still arrive.
   */
  async abandon(reason?: unknown): Promise<void> {
    await this.changes.settle();
    if (reason instanceof listErrors.TableUnavailable) await this.numbers.settle();
    else await this.numbers.release();
  }
}

/** The origin of a request's changes, for its audit events. */
class AuditOrigin {
  /** Audited records cannot be changed without it. */
  origin: Origin | undefined;

  /** Sets the actor of the following changes, when it was not known at first: the sender of a webhook. */
  actAs(actor: Actor, operation: string): void {
    this.origin = { requestId: null, sourceAddress: null, ...this.origin, actor, operation };
  }
}
