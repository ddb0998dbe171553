import { type Table, TableUnavailable } from '#lists';
import { type Clock, systemClock } from '../../clock.ts';
import { environmentTable, tenantTable } from '../connection/client.ts';
import type { TenantId } from '../keys.ts';
import { AuditOrigin } from './audit-origin.ts';
import { RecordNumbers } from './record-numbers.ts';
import { RequestTime } from './request-time.ts';
import { StagedChanges } from './staged-changes.ts';
import { TenantTables } from './tenant-tables.ts';

/**
 * One request's access to the table, from its first read to its commit. It is the handle that requests pass around: each part has one job, and
 * the session itself says what happens to them when an operation ends, runs again or is rehearsed.
 */
export class RequestSession extends RequestTime {
  readonly tables: TenantTables;
  readonly changes: StagedChanges;
  readonly numbers: RecordNumbers;
  readonly audit = new AuditOrigin();
  /** Is called with the most units that a list is about to read (`shared/http/budget/request-budget.ts`). May throw. */
  expectUnits: ((units: number) => void) | undefined;

  /** @param tenantTable the table with a tenant's own rights; by default `table`, which only works without STS sessions of tenants */
  constructor(table: Table, clock: Clock, deadline: number, tenantTable: (tenant: TenantId) => Table = () => table) {
    super(clock, deadline);
    this.tables = new TenantTables(table, tenantTable);
    this.changes = new StagedChanges(this.tables);
    this.numbers = new RecordNumbers(this, this.tables, this.changes);
  }

  /**
   * A session on the table of this function's environment, which begins now.
   * @param timeoutMs time until its deadline, in milliseconds
   */
  static ofEnvironment(timeoutMs: number, clock: Clock = systemClock): RequestSession {
    return new RequestSession(environmentTable(), clock, clock() + timeoutMs, tenantTable);
  }

  /** Drops all staged changes, to run the operation again. */
  restart(): void {
    this.changes.drop();
    this.numbers.pool.keepForNextRun();
  }

  /**
   * Runs an operation without allocating list numbers, checks the conditions of what it staged by reading, and drops it.
   * @throws what the commit would be refused with, as far as it can be seen beforehand; what the operation throws
   */
  async rehearse(operation: () => Promise<unknown>): Promise<void> {
    const { pool } = this.numbers;
    pool.isRehearsal = true;
    try {
      await operation();
      await this.changes.checkConditions();
    } finally {
      await this.changes.settleChecks();
      pool.isRehearsal = false;
      this.restart();
    }
  }

  /** Commits the staged writes. @throws as {@link StagedChanges.send} */
  async commit(): Promise<void> {
    await this.changes.send(this, this.numbers.pool);
    this.numbers.pool.confirm();
    await this.abandon();
    await this.changes.runTasksAfterCommit();
  }

  /**
   * Releases unused numbers, so that no total counts them. Best effort: readers fence what is not released. After
   * {@link TableUnavailable} none is released, because the write may still arrive.
   */
  async abandon(reason?: unknown): Promise<void> {
    await this.changes.settleChecks();
    if (reason instanceof TableUnavailable) return;
    await this.numbers.pool.release();
  }
}
