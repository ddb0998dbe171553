import { environmentTable } from '../../shared/table/connection/client.ts';
import { credentialsKey, type Key } from '../../shared/table/keys.ts';
import { environmentSession } from '../../shared/table/session.ts';
import { findIntegration } from '../../shared/table/system/app-codes.ts';
import type { Credentials } from '../../shared/table/system/credentials.ts';

/** The stored credentials of an app code; undefined where there are none. */
export const storedCredentials = async (appCode: string): Promise<Credentials | undefined> =>
  (await findIntegration(environmentSession(10_000), appCode))?.credentials;

/** Where they are: the table's name and the key of the item. */
export async function placeOfCredentials(
  appCode: string,
): Promise<{ TableName: string; Key: { PK: string; SK: string } }> {
  const found = await storedCredentials(appCode);
  if (found === undefined) throw new Error(`there are no credentials of ${appCode}`);
  const { PK, SK }: Key = credentialsKey(found.tenant, appCode);
  return { TableName: environmentTable().name, Key: { PK, SK } };
}
