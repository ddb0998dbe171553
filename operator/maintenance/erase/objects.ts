import { parseXML } from '@aws-sdk/xml-builder';
import { ids } from '@custodia/counted-lists';
import type { Tenant } from '#table';
import { askForObjects } from '../../../functions/tickets/attachments/objects.ts';
import { concurrently } from '../verify/reading.ts';

/**
 * Up to a thousand versions, and marks of deletion, of the objects of a tenant's attachments. `announced`: when the
 * youngest of these was, in epoch milliseconds: its URL may bring a deleted object back; undefined where there is none.
 * `deleteAll` deletes them, and returns how many they are.
 * @throws Error where the store refuses
 */
export async function someVersions(tenant: Tenant) {
  const query = { versions: '', prefix: `${tenant.id}/` };
  const { status, text } = await askForObjects(tenant, { method: 'GET', key: '', query });
  if (status !== 200) throw new Error(`the object store answered ${status}: ${text}`);
  const { Version, DeleteMarker } = parseXML(text).ListVersionsResult ?? {};
  const versions = [Version ?? [], DeleteMarker ?? []].flat();
  const times = versions.map(({ Key }) => ids.numberOf(String(Key).slice(tenant.id.length + 1)));
  const deleteAll = async (by: Tenant): Promise<number> => {
    await concurrently(versions, ({ Key, VersionId }) => deleteVersion(by, String(Key), String(VersionId)));
    return versions.length;
  };
  return { announced: times.length > 0 ? Math.max(...times) : undefined, deleteAll };
}

async function deleteVersion(tenant: Tenant, key: string, versionId: string): Promise<readonly never[]> {
  const { status, text } = await askForObjects(tenant, { method: 'DELETE', key, query: { versionId } });
  if (status !== 204) throw new Error(`the object store answered ${status}: ${text}`);
  return [];
}
