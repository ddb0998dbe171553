import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { type Key, retry, type Table } from '@custodia/counted-lists';
import type { TenantId } from '#table';
import { tenantKey } from '#table';
import { appKey } from '#tenancy';
import { heldKey } from '../../../functions/alerts/state/held.ts';
import { registerKey } from '../../../functions/events/state/register.ts';
import type { Clock } from '../../../shared/clock.ts';

/** Final deletion. All functions here are idempotent and may run concurrently. */

export interface EraseTarget {
  readonly table: Table;
  readonly clock: Clock;
}

/** Keys that are read at once, and then deleted in parallel. */
const AT_ONCE = 25;
/** Longest time for one request, in milliseconds. */
const TIMEOUT_MS = 10_000;

const patiently = <T>({ clock }: EraseTarget, request: () => Promise<T>): Promise<T> =>
  retry(request, { clock, deadline: clock() + TIMEOUT_MS });

/**
 * Deletes all items of a partition.
 * @param onDelete is called with the number of deleted items, as it goes
 */
export const emptyPartition = (
  place: EraseTarget,
  partition: string,
  onDelete: (items: number) => void = () => undefined,
): Promise<void> =>
  deleteQueried(
    place,
    { KeyConditionExpression: 'PK = :pk', ExpressionAttributeValues: { ':pk': partition } },
    onDelete,
  );

/** Where the entries of a tenant begin in the registers of all: of webhook endpoints, and of alerts that are held. */
export const registersOf = (tenant: TenantId) => [registerKey(tenant, ''), heldKey(tenant, '')] as const;

/** Deletes a tenant's entries of the registers of all. @param onDelete as above */
export async function emptyRegisters(
  place: EraseTarget,
  tenant: TenantId,
  onDelete: (items: number) => void,
): Promise<void> {
  for (const { PK, SK } of registersOf(tenant)) {
    const query = {
      KeyConditionExpression: 'PK = :pk AND begins_with(SK, :tenant)',
      ExpressionAttributeValues: { ':pk': PK, ':tenant': SK },
    };
    await deleteQueried(place, query, onDelete);
  }
}

async function deleteQueried(
  place: EraseTarget,
  what: Pick<QueryCommandInput, 'KeyConditionExpression' | 'ExpressionAttributeValues'>,
  onDelete: (items: number) => void,
): Promise<void> {
  const { client, name } = place.table;
  for (;;) {
    const query = new QueryCommand({
      TableName: name,
      ...what,
      ProjectionExpression: 'PK, SK',
      Limit: AT_ONCE,
      ConsistentRead: true,
    });
    const { Items: keys = [] } = await patiently(place, () => client.send(query));
    if (keys.length === 0) return;
    await Promise.all((keys as Key[]).map((key) => deleteItem(place, key)));
    onDelete(keys.length);
  }
}

export const deleteItem = (place: EraseTarget, { PK, SK }: Key): Promise<unknown> =>
  patiently(place, () => place.table.client.send(new DeleteCommand({ TableName: place.table.name, Key: { PK, SK } })));

/**
 * Deletes the credentials of a tenant's app code, and then the pointer to them, so that nobody else can have the code
 * before they are gone.
 */
export async function deleteKey(place: EraseTarget, tenant: TenantId, appCode: string): Promise<boolean> {
  await deleteItem(place, tenantKey(tenant, 'CREDENTIALS', appCode));
  return deletePointer(place, tenant, appKey(appCode));
}

/**
 * Deletes the pointer of an app code or a sign-in name, if it points to this tenant.
 * @returns whether there was one
 */
export async function deletePointer(place: EraseTarget, tenant: TenantId, { PK, SK }: Key): Promise<boolean> {
  const command = new DeleteCommand({
    TableName: place.table.name,
    Key: { PK, SK },
    ConditionExpression: '#tenant = :tenant',
    ExpressionAttributeNames: { '#tenant': 'tenant' },
    ExpressionAttributeValues: { ':tenant': tenant },
  });
  try {
    await patiently(place, () => place.table.client.send(command));
    return true;
  } catch (error) {
    // There is none, or another tenant has the app code.
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
