import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, ids, type Key, retry, schema } from '@custodia/counted-lists';
import { Problem } from '#contract';
import { StaleRead, type Tenant } from '#table';
import { bytesKey, stageBytes, uploadKey, VOID } from '#table/storage';
import type { Attachment } from '../contract.ts';

/**
 * Announced attachments, in an item each until they are completed. A deleted attachment leaves one too, which says that
 * its object must go (`settle.ts`), an hour after its creation at the earliest: until then somebody may upload it.
 *
 *     announced ──▶ completed: a record of the ticket, no item
 *         └──▶ void ◀─────┘ deleted, or not completed in time: its bytes count no more
 *               └──▶ no item: there is no object
 */
export type Upload = Omit<Attachment, 'uploaded_at' | 'upload' | 'download'>;

/** The key of an attachment's item: its sort key is that of the record. */
const keyOf = ({ id: tenant }: Tenant, id: string) =>
  uploadKey(tenant, `${ids.sortKeyOf(ids.numberOf(id))}-${id.slice(14)}`);

/** The key of an object: the tenant role's policy compares its first part with the tenant. */
export const objectKey = ({ id: tenant }: Tenant, id: string): string => `${tenant}/${id}`;

/** Stages an announced attachment. The commit throws Problem `conflict` where the organization has no room for it. */
export function stageUpload(tenant: Tenant, fields: Omit<Upload, 'id'>, quota: number): Upload {
  const upload = { id: ids.newId(tenant.serverTime), ...fields };
  const work = tenant.session.changes.of(tenant.id);
  work.put({ ...keyOf(tenant, upload.id), ...upload }, () => new StaleRead('the id is taken'));
  stageBytes(work, tenant.id, upload.size, {
    condition: { atMost: { BYTES: quota - upload.size } },
    onConditionFailed: (found) =>
      new Problem('conflict', {
        detail:
          `The attachments of the organization take ${found?.BYTES ?? 0} of ${quota} bytes, so there is no room for ` +
          `${upload.size} more. Delete some first.`,
      }),
  });
  return upload;
}

/** How many bytes the attachments of a tenant have, with announced ones. Strongly consistent. */
export async function readBytes(tenant: Tenant): Promise<number> {
  const { BYTES: bytes = 0 } = (await read(tenant, bytesKey(tenant.id))) ?? {};
  return Number(bytes);
}

/** An announced attachment of a ticket; undefined where there is none. Strongly consistent. */
export async function readUpload(tenant: Tenant, ticketId: string, id: string): Promise<Upload | undefined> {
  const item = await read(tenant, keyOf(tenant, id));
  if (item === undefined || item.id !== id || item.ticket_id !== ticketId || item[VOID]) return undefined;
  const { PK: _, SK: __, [schema.WRITE_ID]: ___, ...upload } = item;
  return upload as Upload;
}

/** When an attachment was last announced that is still known here, in epoch milliseconds; undefined: none is. */
export async function lastUpload({ id, session }: Tenant): Promise<number | undefined> {
  const { client, name } = session.tables.of(id);
  const query = new QueryCommand({
    TableName: name,
    KeyConditionExpression: 'PK = :uploads',
    ExpressionAttributeValues: { ':uploads': uploadKey(id, '').PK },
    ScanIndexForward: false,
    Limit: 1,
    ConsistentRead: true,
  });
  const { Items: [last] = [] } = await retry(() => client.send(query), session);
  return last && ids.numberIn(String(last.SK));
}

async function read({ id, session }: Tenant, key: Key): Promise<Item | undefined> {
  const { client, name } = session.tables.of(id);
  const command = new GetCommand({ TableName: name, Key: { ...key }, ConsistentRead: true });
  return (await retry(() => client.send(command), session)).Item;
}

/** Stages that an announced attachment is none any more: it is completed. */
export function stageCompletion(tenant: Tenant, { id }: Pick<Upload, 'id'>): void {
  const condition = { equals: { id, [VOID]: undefined } };
  tenant.session.changes.of(tenant.id).delete(keyOf(tenant, id), condition, changed);
}

/** Stages that an attachment counts no more, and that its object must go. @param isAnnounced or else completed */
export function stageVoid(tenant: Tenant, { id, size }: Pick<Upload, 'id' | 'size'>, isAnnounced: boolean): void {
  const item = { ...keyOf(tenant, id), id, [VOID]: true };
  // A record that a restored copy of the table has again may have been deleted before.
  const condition = isAnnounced ? { equals: { id, [VOID]: undefined } } : {};
  const work = tenant.session.changes.of(tenant.id);
  work.put(item, changed, condition);
  stageBytes(work, tenant.id, -size);
}

const changed = (): StaleRead => new StaleRead('the upload has changed');
