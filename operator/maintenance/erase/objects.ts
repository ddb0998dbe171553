import { parseXML } from '@aws-sdk/xml-builder';
import type { Tenant } from '#table';
import { askForObjects } from '../../../functions/tickets/attachments/objects.ts';
import { concurrently } from '../verify/reading.ts';

/**
 * Deletes all versions of the objects of a tenant's attachments. Interrupted, it is run again from the start.
 * @param onDelete is called with the number of deleted versions, as it goes
 * @throws Error where the store refuses
 */
export async function deleteObjects(tenant: Tenant, onDelete: (versions: number) => void): Promise<void> {
  for (let versions = await someVersions(tenant); versions.length > 0; versions = await someVersions(tenant)) {
    await concurrently(versions, async ({ key, version }) => {
      const query = { versionId: version };
      const { status, text } = await askForObjects(tenant, { method: 'DELETE', key, query });
      if (status !== 204) throw new Error(`the object store answered ${status}: ${text}`);
      return [];
    });
    onDelete(versions.length);
  }
}

interface Version {
  readonly key: string;
  readonly version: string;
}

/** Up to a thousand versions and marks of deletion. */
async function someVersions(tenant: Tenant): Promise<readonly Version[]> {
  const query = { versions: '', prefix: `${tenant.id}/` };
  const { status, text } = await askForObjects(tenant, { method: 'GET', key: '', query });
  if (status !== 200) throw new Error(`the object store answered ${status}: ${text}`);
  const { Version, DeleteMarker } = parseXML(text).ListVersionsResult ?? {};
  return [Version ?? [], DeleteMarker ?? []]
    .flat()
    .map(({ Key, VersionId }) => ({ key: String(Key), version: String(VersionId) }));
}
