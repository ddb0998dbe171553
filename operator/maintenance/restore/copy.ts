import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, readPartition, retry, type Table } from '@custodia/counted-lists';
import { type Entity, type Tenant, type TenantId, tenantPartition, uniqueKey, valuesPartition } from '#table';
import { organizationEntity } from '#tenancy';
import type { Clock } from '../../../shared/clock.ts';
import { partitionsOf } from '../erase/partitions.ts';
import type { Kind } from '../verify/kinds.ts';
import { concurrently } from '../verify/reading.ts';
import { type Change, differences } from './differences.ts';

/**
 * The restored partitions of a tenant. All others stay as they are: integrations with their credentials and quota, so
 * that no revoked key becomes valid; the organization and its audit events; refusals, reads and budgets
 * (`docs/decisions/0112-restoring.md`).
 */
interface Restorable {
  /** Kinds of records that are restored. */
  readonly kinds: readonly Kind[];
  /** The kind of the integrations, which stay; their ids name partitions of what they have sent. */
  readonly integrations: Kind;
}

interface RestoreOptions extends Restorable {
  readonly clock: Clock;
  readonly version: number;
  /** False: only reports what it would write. */
  readonly writes: boolean;
  /** Partitions of child items of records, including records that an earlier pass has deleted. The pass adds to it. */
  readonly found: Set<string>;
  readonly onChange: (partition: string, change: Change) => void;
}

/** Items that are written in parallel. */
const AT_ONCE = 25;
/** Longest time for one request, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * A copy of the table, restored from a backup or to a point in time, and a tenant's data in it. It is read with the
 * tenant's own rights.
 */
export class TableCopy {
  readonly #tenant: TenantId;
  readonly #table: Table;
  readonly #copy: Table;

  /** @param name of the copy */
  constructor({ id, session }: Tenant, name: string) {
    this.#tenant = id;
    this.#table = session.tables.of(id);
    this.#copy = { ...this.#table, name };
  }

  /**
   * Classifies the table of this name for the tenant.
   * - `copy`: it has the tenant's organization, as this service would have stored it;
   * - `itself`: it is the table that the tenant is in now;
   * - `missing`: there is no such table, or it cannot be read yet;
   * - `other`: it has another key schema, or lacks this organization.
   */
  async look(): Promise<'copy' | 'itself' | 'missing' | 'other'> {
    const { client, name } = this.#copy;
    if (this.#table.name === name) return 'itself';
    const key = { PK: tenantPartition(this.#tenant, organizationEntity.name), SK: this.#tenant };
    try {
      const { Item } = await client.send(new GetCommand({ TableName: name, Key: key, ConsistentRead: true }));
      return Item === undefined ? 'other' : 'copy';
    } catch (error) {
      const { name: kind } = error as Error;
      if (kind === 'ResourceNotFoundException') return 'missing';
      if (kind === 'ValidationException') return 'other';
      throw error;
    }
  }

  /** The records of a kind, in the copy and now. */
  recordsOf({ name }: Entity, clock: Clock): readonly [then: AsyncGenerator<Item>, now: AsyncGenerator<Item>] {
    return this.#read(tenantPartition(this.#tenant, name), clock);
  }

  #read(partition: string, clock: Clock): readonly [then: AsyncGenerator<Item>, now: AsyncGenerator<Item>] {
    return [
      readPartition({ table: this.#copy, clock }, partition),
      readPartition({ table: this.#table, clock }, partition),
    ];
  }

  /**
   * Makes the tenant's data equal to the copy. An interrupted run is repeated from the start, and writes the rest.
   * @returns how many items differed
   */
  async restore(options: RestoreOptions): Promise<number> {
    let sum = 0;
    for (const partitions of await this.#restoredPartitions(options)) {
      const counts = await concurrently(partitions, async (each) => [await this.#restorePartition(each, options)]);
      sum += counts.reduce((one, other) => one + other, 0);
    }
    return sum;
  }

  /**
   * Partitions that are named by records of the copy, and by current records, which will be deleted. Records come last,
   * so that a run after an interruption finds the child items of records to delete.
   */
  async #restoredPartitions(options: RestoreOptions): Promise<readonly (readonly string[])[]> {
    const { clock, kinds, integrations, found } = options;
    const named = await Promise.all(
      [this.#table, this.#copy].map((table) =>
        partitionsOf({ table, clock }, this.#tenant, [...kinds, integrations], integrations.entity),
      ),
    );
    const restored = (partitions: readonly string[]): string[] =>
      [...new Set(partitions)].filter((partition) => treatmentOf(partition, this.#tenant, options) !== false);
    for (const partition of named.flatMap(({ derived, notes }) => [...derived, ...notes])) found.add(partition);
    return [restored([...found]), restored(named.flatMap(({ records }) => records))];
  }

  async #restorePartition(partition: string, options: RestoreOptions): Promise<number> {
    const { clock, version, writes, onChange } = options;
    const isAddedTo = treatmentOf(partition, this.#tenant, options) === 'added-to';
    const rules = { now: Math.floor(clock() / 1000), version, isAddedTo };
    let count = 0;
    let waiting: Change[] = [];
    const flush = async (): Promise<void> => {
      if (writes) await Promise.all(waiting.map((change) => this.#write(change, clock)));
      for (const change of waiting) onChange(partition, change);
      waiting = [];
    };
    for await (const change of differences(...this.#read(partition, clock), rules)) {
      count += 1;
      if (waiting.push(change) === AT_ONCE) await flush();
    }
    await flush();
    return count;
  }

  #write(change: Change, clock: Clock): Promise<unknown> {
    const { client, name } = this.#table;
    const { PK, SK } = change.kind === 'put' ? change.item : change.before;
    return retry(
      () =>
        change.kind === 'put'
          ? client.send(new PutCommand({ TableName: name, Item: { ...change.item } }))
          : client.send(new DeleteCommand({ TableName: name, Key: { PK, SK } })),
      { clock, deadline: clock() + TIMEOUT_MS },
    );
  }
}

/** `false`: it stays. `'added-to'`: missing items are added, and existing ones stay. */
type Treatment = 'replaced' | 'added-to' | false;

export function treatmentOf(partition: string, tenant: TenantId, { kinds }: Restorable): Treatment {
  const names = kinds.map(({ entity }) => entity.name);
  const isIn = (whole: string): boolean => partition === whole || partition.startsWith(`${whole}#`);
  // Containers remember the data key that they have stored, and the values that they have noted.
  if (partition === tenantPartition(tenant, 'DATA_KEY')) return 'added-to';
  if (names.some((name) => partition === valuesPartition(tenantPartition(tenant, name)))) return 'added-to';
  const replaced = [
    ...names.map((name) => tenantPartition(tenant, name)),
    ...names.map((name) => uniqueKey(tenant, name, '', '').PK.slice(0, -1)),
    tenantPartition(tenant, 'ONCE'),
    tenantPartition(tenant, 'CASCADE_DELETE'),
    tenantPartition(tenant, 'TRASH'),
  ];
  return replaced.some(isIn) && 'replaced';
}
