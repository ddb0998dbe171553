import type { Key } from '@custodia/counted-lists';
import { environmentTable, RequestSession, tenantKey } from '#table';
import { type Credentials, findIntegration } from '#tenancy';

/** The stored credentials of an app code; undefined where there are none. */
export const storedCredentials = async (appCode: string): Promise<Credentials | undefined> =>
  (await findIntegration(RequestSession.ofEnvironment(10_000), appCode))?.credentials;

/** The table's name and the key of the item. */
export async function placeOfCredentials(
  appCode: string,
): Promise<{ TableName: string; Key: { PK: string; SK: string } }> {
  const found = await storedCredentials(appCode);
  if (found === undefined) throw new Error(`there are no credentials of ${appCode}`);
  const { PK, SK }: Key = tenantKey(found.tenant, 'CREDENTIALS', appCode);
  return { TableName: environmentTable().name, Key: { PK, SK } };
}
