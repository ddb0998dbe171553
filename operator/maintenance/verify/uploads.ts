import { readPartition } from '@custodia/counted-lists';
import { type Entity, type Tenant, tenantPartition } from '#table';
import { bytesKey, uploadKey, VOID } from '#table/storage';
import { deleteObject, knownBucket } from '../../../functions/tickets/attachments/objects.ts';
import { settleUploads } from '../../../functions/tickets/attachments/state/settle.ts';
import { attachmentEntity } from '../../../functions/tickets/store.ts';
import { verifyCounts } from './counts.ts';
import type { Verified, VerifyContext } from './difference.ts';
import { readItem } from './reading.ts';

/** Verifies how many bytes the attachments of a tenant have. @param tickets the ids of all tickets */
export async function verifyBytes(scope: VerifyContext, tickets: readonly string[]): Promise<Verified[]> {
  const { tenant } = scope;
  const key = bytesKey(tenant);
  // Where nothing was ever announced, no ticket is looked at.
  if ((await readItem(scope, key)) === undefined) return [];
  const { name, parent } = attachmentEntity as unknown as Entity & { readonly parent: Entity };
  const recount = async () => {
    let BYTES = 0;
    for await (const item of readPartition(scope, uploadKey(tenant, '').PK))
      if (!item[VOID]) BYTES += Number(item.size);
    for (const id of tickets)
      for await (const { size } of readPartition(scope, tenantPartition(tenant, parent.name, id, name)))
        BYTES += Number(size);
    return { BYTES };
  };
  return verifyCounts(scope, { entity: name, name: 'quota' }, key, recount);
}

/** Drops the announced attachments that are due, and deletes the objects that must go, where their bucket is known. */
export async function settleAllUploads(tenant: Tenant): Promise<void> {
  if (knownBucket() === undefined) return;
  while (!(await settleUploads(tenant, (key) => deleteObject(tenant, key))));
}
