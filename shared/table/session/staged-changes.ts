import { type Key, type NumberPool, UnitOfWork } from '@custodia/counted-lists';
import type { TenantTables } from '../connection/client.ts';
import { StaleRead } from '../errors.ts';
import { isOfCredentials, PLATFORM, type TenantId } from '../keys.ts';

type Sending = Required<Omit<Parameters<UnitOfWork['commit']>[1], 'onNoResponse'>>;

const unchanged = (error: unknown): unknown => error;

/** What a run of the operation has staged, and its tasks around the commit. */
class StagedRun {
  readonly work = new UnitOfWork();
  readonly workers = new Set<TenantId>();
  /** Writes whose staging has begun. */
  readonly staging: Promise<unknown>[] = [];
  readonly checks: Promise<void>[] = [];
  readonly duringCommit: (() => Promise<void>)[] = [];
  readonly afterCommit: (() => Promise<void>)[] = [];
  explain = unchanged;
  /** Whether what is staged from now on would be lost. */
  isSent = false;
}

/**
 * The changes that a request commits together: its staged writes, the checks that the commit waits for, and the tasks
 * around it.
 */
export class StagedChanges {
  readonly #tables: TenantTables;
  #run = new StagedRun();
  /** Tasks that this run and earlier ones have begun. */
  readonly #begun: Promise<unknown>[] = [];

  constructor(tables: TenantTables) {
    this.#tables = tables;
  }

  /** The request's unit of work, for a tenant to stage its writes in. @throws TypeError after the commit was sent */
  of(tenant: TenantId): UnitOfWork {
    this.#requireUnsent();
    this.#run.workers.add(tenant);
    return this.#run.work;
  }

  /**
   * The organization whose changes are staged; undefined where there are none but the platform's own.
   * @throws Error for a transaction of two organizations
   */
  get organization(): TenantId | undefined {
    const [organization, ...others] = [...this.#run.workers].filter((tenant) => tenant !== PLATFORM);
    if (others.length > 0) throw new Error('one transaction was staged for two organizations');
    return organization;
  }

  get pendingWrites(): UnitOfWork['writes'] {
    return this.#run.work.writes;
  }

  /**
   * Notes that a write is being staged, which takes a while: its event gets a number. The commit waits for it, and
   * throws what it throws, so that an operation that forgets to `await` it loses neither the write nor its event.
   * @throws TypeError after the commit was sent
   */
  staging<T>(stage: () => Promise<T>): Promise<T> {
    this.#requireUnsent();
    const write = stage();
    write.catch(() => undefined);
    this.#run.staging.push(write);
    this.#begun.push(write);
    return write;
  }

  /** Starts a check in parallel to the operation. The commit waits for it, and throws what it throws. */
  check(run: () => Promise<void>): void {
    const check = run();
    check.catch(() => undefined);
    this.#run.checks.push(check);
    this.#begun.push(check);
  }

  /** Runs a task in parallel to the commit. Best effort: its failure is ignored. */
  duringCommit(task: () => Promise<void>): void {
    this.#run.duringCommit.push(task);
  }

  /** Runs a task after the commit. Best effort: its failure is ignored. */
  afterCommit(task: () => Promise<void>): void {
    this.#run.afterCommit.push(task);
  }

  /**
   * Translates the errors of a refused commit: a webhook event's operation reports errors about its own input, and the
   * sender needs pointers into the delivery.
   */
  explainRefusals(explain: (error: unknown) => unknown): void {
    this.#run.explain = explain;
  }

  /** Drops all staged writes and tasks. */
  drop(): void {
    this.#run = new StagedRun();
  }

  /** Thrown at once, not in the write's promise, which has a handler: so it ends an operation that awaits no helper. */
  #requireUnsent(): void {
    if (this.#run.isSent)
      throw new TypeError('a write is staged after the commit: the operation does not await the helper that stages it');
  }

  /** Checks the conditions of the staged writes by reading. @throws the error of the commit, if foreseeable */
  async checkConditions(): Promise<void> {
    try {
      await this.#allStaged();
      await Promise.all(this.#run.checks);
      const refusal = await this.#run.work.refusal(this.#committersTable(), isReadable);
      if (refusal !== undefined) throw refusal;
    } catch (error) {
      throw this.#run.explain(error);
    }
  }

  /** Sends the staged writes. @param numbers those of the records in them @throws as {@link UnitOfWork.commit} */
  async send(limit: Sending, numbers: NumberPool): Promise<void> {
    try {
      await this.#allStaged();
      if (!this.#run.work.isEmpty) {
        await Promise.all(this.#run.checks);
        await this.#allStaged();
      }
      this.#run.isSent = true;
      if (this.#run.work.isEmpty) return;
      if (!(await numbers.putEntries())) throw new StaleRead('entries were written without a response');
      numbers.noteSent();
      const tasks = Promise.allSettled(this.#run.duringCommit.map((task) => task()));
      const { clock, deadline, observer, contention } = limit;
      const sending = { clock, deadline, observer, contention, onNoResponse: () => numbers.noteNoResponse() };
      await this.#run.work.commit(this.#committersTable(), sending).finally(() => tasks);
    } catch (error) {
      throw this.#run.explain(error);
    }
  }

  /** Waits for the writes that are being staged, and for those that they stage. */
  async #allStaged(): Promise<void> {
    const { staging } = this.#run;
    for (let waited = 0; waited < staging.length; ) {
      const begun = staging.slice(waited);
      waited += begun.length;
      await Promise.all(begun);
    }
  }

  /**
   * Waits for what the operation did not wait for: Lambda stops a function once it has responded, and what is staged
   * late would be staged in the next run.
   */
  async settle(): Promise<void> {
    await Promise.allSettled(this.#begun);
  }

  async runTasksAfterCommit(): Promise<void> {
    await Promise.allSettled(this.#run.afterCommit.map((task) => task()));
  }

  /**
   * The table with the credentials that send the transaction: those of the tenant that staged it. For a platform
   * caller's idempotency key together with changes of an organization, these are the organization's, whose role allows
   * both.
   */
  #committersTable() {
    return this.#tables.of(this.organization ?? PLATFORM);
  }
}

/** Most sessions may not read credentials: the commit decides on their conditions. */
const isReadable = (key: Key): boolean => !isOfCredentials(key);
