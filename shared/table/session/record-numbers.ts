import { type AllocatedNumber, type List, NumberPool } from '#lists';
import { StaleRead } from '../errors.ts';
import type { TenantId } from '../keys.ts';
import type { StagedChanges } from './staged-changes.ts';
import type { TenantTables } from './tenant-tables.ts';

/** The sequence numbers and generated values of the records that a request creates. */
export class RecordNumbers {
  /** The numbers that are allocated, for the session to confirm or to release. */
  readonly pool: NumberPool;
  readonly #tables: TenantTables;
  readonly #changes: StagedChanges;
  #collisions = 0;

  constructor(request: ConstructorParameters<typeof NumberPool>[0], tables: TenantTables, changes: StagedChanges) {
    this.pool = new NumberPool(request);
    this.#tables = tables;
    this.#changes = changes;
  }

  /** Allocates the next number of a tenant's list, or one that an earlier run of the same operation has left unused. */
  async allocate(tenant: TenantId, list: List): Promise<AllocatedNumber> {
    const allocated = await this.pool.allocate(this.#tables.of(tenant), list);
    this.#compactAfterCommit(allocated);
    return allocated;
  }

  /** Like {@link allocate}, for so many records: their numbers in order, as far as possible one range. */
  async allocateAll(tenant: TenantId, list: List, count: number): Promise<readonly AllocatedNumber[]> {
    const all = await this.pool.allocateAll(this.#tables.of(tenant), list, count);
    for (const allocated of all) this.#compactAfterCommit(allocated);
    return all;
  }

  #compactAfterCommit({ compact }: AllocatedNumber): void {
    if (compact !== undefined) this.#changes.afterCommit(compact);
  }

  /** Notes the size of a record while the request commits. */
  noteLargest(tenant: TenantId, list: List, bytes: number): void {
    this.#changes.duringCommit(() => this.pool.noteLargest(this.#tables.of(tenant), list, bytes));
  }

  /** Notes that a list lacks records in these indexes, before the request commits. */
  noteUnbuilt(tenant: TenantId, list: List, indexes: readonly string[]): void {
    this.#changes.check(() => this.pool.noteUnbuilt(this.#tables.of(tenant), list, indexes));
  }

  /** Begins to allocate a number in advance, for the next record of the list. */
  prepare(tenant: TenantId, list: List): void {
    this.pool.prepare(this.#tables.of(tenant), list);
  }

  /** Drops a number that a reader has fenced. The returned error makes the operation run again, with another number. */
  fenced(allocated: AllocatedNumber): StaleRead {
    this.pool.forget(allocated);
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
}
