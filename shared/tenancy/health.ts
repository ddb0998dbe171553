import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { TableUnavailable } from '#lists';
import type { RequestSession } from '#table';
import { HEALTH_KEY } from '#table/storage';

/**
 * Checks that the table can be read, with the function's own rights: one eventually consistent `GetItem` of a key that has no item, which is
 * half a read unit.
 * @throws TableUnavailable for any reason, also where other requests get 500: a missing right or a missing table
 */
export async function checkTable({
  tables: {
    environment: { client, name },
  },
}: RequestSession): Promise<void> {
  try {
    await client.send(new GetCommand({ TableName: name, Key: { ...HEALTH_KEY } }));
  } catch (cause) {
    throw new TableUnavailable('the table cannot be read', { cause });
  }
}
