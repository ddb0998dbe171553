import { type Item, type Key, type Table, UnitOfWork } from '@custodia/counted-lists';
import type { TimeLimit } from '../../clock.ts';
import { StaleRead } from '../errors.ts';
import { type TenantId, tenantKey } from '../keys.ts';
import { MOVES } from './derived-fields.ts';

/**
 * What is known of the objects of attachments (`functions/tickets/attachments/state/`): an item for each that is
 * announced, or whose object must go, and the bytes that all of a tenant's take.
 */

/** Attribute of an item whose object must go. */
export const VOID = 'VOID';

/** The items are in the order in which the attachments were announced. @param sortKey that of the record */
export const uploadKey = (tenant: TenantId, sortKey: string): Key => tenantKey(tenant, 'UPLOAD', sortKey);

/** The partitions of attachments end so. */
const ATTACHMENTS = '#ATTACHMENT';

/** Whether a partition has the attachments of a record. */
export const hasAttachments = (partition: string): boolean => partition.endsWith(ATTACHMENTS);

/** The item that counts the bytes of a tenant's attachments, with announced ones. */
export const bytesKey = (tenant: TenantId): Key => tenantKey(tenant, 'QUOTA', 'ATTACHMENT');

/** Stages that an attachment takes so many bytes more or fewer. */
export const stageBytes = (
  work: UnitOfWork,
  tenant: TenantId,
  by: number,
  bound: Pick<NonNullable<Parameters<UnitOfWork['update']>[1]>, 'condition' | 'onConditionFailed'> = {},
): void => work.update(bytesKey(tenant), { add: { BYTES: by, [MOVES]: 1 }, ...bound });

/** Deletes the record of an attachment, and notes that its object must go. Others may be faster. */
export async function endAttachment(
  table: Table,
  tenant: TenantId,
  found: Item & Key,
  limit: TimeLimit,
): Promise<void> {
  const { PK, SK, id, size } = found;
  const work = new UnitOfWork();
  work.delete({ PK, SK }, { exists: true }, stale);
  work.put({ ...uploadKey(tenant, SK), id, [VOID]: true }, stale, {});
  stageBytes(work, tenant, -Number(size));
  await work.commit(table, limit).catch((error: unknown) => {
    if (!(error instanceof StaleRead)) throw error;
  });
}

const stale = (): StaleRead => new StaleRead('another request has deleted it');
