import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, type Key, retry, updateRequest } from '@custodia/counted-lists';
import { type Tenant, tenantKey } from '#table';

/** The key of what is known of an integration's alerts. Digests have no `~`. */
export const alertKey = ({ id }: Tenant, integrationId: string, name: string): Key =>
  tenantKey(id, 'ALERT', `${integrationId}#${name}`);

type Change = Omit<Parameters<typeof updateRequest>[1], 'key'>;

/** Changes an item at once, in one write unit. @returns the item after it; undefined where the condition is not met */
export async function changeItem({ id, session }: Tenant, key: Key, change: Change): Promise<Item | undefined> {
  const { client, name } = session.tables.of(id);
  const request = updateRequest(name, { ...change, key });
  try {
    const send = () => client.send(new UpdateCommand({ ...request, ReturnValues: 'ALL_NEW' }));
    return (await retry(send, session)).Attributes;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

/** Strongly consistent. */
export async function readItem({ id, session }: Tenant, key: Key): Promise<Item | undefined> {
  const { client, name } = session.tables.of(id);
  const command = new GetCommand({ TableName: name, Key: { ...key }, ConsistentRead: true });
  return (await retry(() => client.send(command), session)).Item;
}

/** From now on, by the clock of DynamoDB, in epoch seconds. */
export const inSeconds = ({ serverTime }: Tenant, seconds = 0): number => Math.floor(serverTime / 1000) + seconds;
