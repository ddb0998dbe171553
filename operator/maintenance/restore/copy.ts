import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, readPartition, type Table } from '@custodia/counted-lists';
import { type Entity, recordsPartition, type Tenant } from '#table';
import { organizationEntity } from '#tenancy';
import type { Clock } from '../../../shared/clock.ts';
import { type RestoreOptions, restore } from './restore.ts';

/**
 * A copy of the table, restored from a backup or to a point in time, and a tenant's data in it. It is read with the
 * tenant's own rights.
 */
export class TableCopy {
  readonly #tenant: Tenant;
  readonly #table: Table;
  readonly #copy: Table;

  /** @param name of the copy */
  constructor(tenant: Tenant, name: string) {
    this.#tenant = tenant;
    this.#table = tenant.session.tables.of(tenant.id);
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
    const key = { PK: this.#partitionOf(organizationEntity), SK: this.#tenant.id };
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
  recordsOf(kind: Entity, clock: Clock): readonly [then: AsyncGenerator<Item>, now: AsyncGenerator<Item>] {
    const partition = this.#partitionOf(kind);
    return [
      readPartition({ table: this.#copy, clock }, partition),
      readPartition({ table: this.#table, clock }, partition),
    ];
  }

  /**
   * Makes the tenant's data equal to the copy. An interrupted run is repeated from the start, and writes the rest.
   * @returns how many items differed
   */
  restore(options: RestoreOptions): Promise<number> {
    return restore({ ...options, tenant: this.#tenant.id, table: this.#table, copy: this.#copy });
  }

  #partitionOf({ name }: Pick<Entity, 'name'>): string {
    return recordsPartition(this.#tenant.id, name);
  }
}
