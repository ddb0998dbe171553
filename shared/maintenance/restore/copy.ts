import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, readPartition, type Table } from '#lists';
import type { AnyEntity, Tenant } from '#table';
import { recordsPartition } from '#table/storage';
import { organizationEntity } from '#tenancy';
import type { Clock } from '../../clock.ts';

/** A copy of the table, restored from a backup or to a point in time. It is read with the rights for the tenant's own table. */

const copyOf = ({ id, session }: Tenant, name: string): Table => ({ client: session.tables.of(id).client, name });

/** The table that a tenant is in now, and the copy. */
export const bothTables = (tenant: Tenant, name: string): { readonly table: Table; readonly copy: Table } => ({
  table: tenant.session.tables.of(tenant.id),
  copy: copyOf(tenant, name),
});

/**
 * What a table of this name is for a tenant.
 * - `copy`: it has the tenant's organization, as this service would have stored it;
 * - `itself`: it is the table that the tenant is in now;
 * - `missing`: there is none, or it cannot be read yet;
 * - `other`: it has other keys, or not this organization.
 */
export async function lookAtCopy(tenant: Tenant, name: string): Promise<'copy' | 'itself' | 'missing' | 'other'> {
  const { table, copy } = bothTables(tenant, name);
  if (table.name === name) return 'itself';
  const key = { PK: recordsPartition(tenant.id, organizationEntity.name), SK: tenant.id };
  try {
    const { Item } = await copy.client.send(new GetCommand({ TableName: name, Key: key, ConsistentRead: true }));
    return Item === undefined ? 'other' : 'copy';
  } catch (error) {
    const { name: kind } = error as Error;
    if (kind === 'ResourceNotFoundException') return 'missing';
    if (kind === 'ValidationException') return 'other';
    throw error;
  }
}

/** The records of a kind, in the copy and now. */
export function recordsInBoth(
  tenant: Tenant,
  name: string,
  { name: kind }: AnyEntity,
  clock: Clock,
): readonly [then: AsyncGenerator<Item>, now: AsyncGenerator<Item>] {
  const { table, copy } = bothTables(tenant, name);
  const partition = recordsPartition(tenant.id, kind);
  return [readPartition({ table: copy, clock }, partition), readPartition({ table, clock }, partition)];
}
