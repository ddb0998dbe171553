import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { type Key, retry } from '@custodia/counted-lists';
import type { Tenant } from '#table';
import { recordsPartition } from '#table/keys';
import { appKey, registerKey } from '#tenancy/keys';
import { deleteItem, deletePointer } from './empty.ts';

/**
 * Scans the whole table for remaining items of a tenant: the only scan of the service. No role of a stage may scan, so
 * it needs an administrator's own credentials, or the data of `npm start`.
 */

/** Segments of the table that are scanned in parallel. */
const SEGMENTS = 8;
/** Longest time for one request, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** The prefix of the keys by which it is found whose an app code is. */
const APPS = appKey('').PK;

/**
 * Deletes all items under the tenant's keys, the pointers of app codes to them, and what the register of webhook
 * endpoints has of it.
 * @param onDelete is told how many were deleted, as it goes
 */
export async function sweep(tenant: Tenant, onDelete: (items: number) => void): Promise<void> {
  await Promise.all(Array.from({ length: SEGMENTS }, (_, segment) => sweepSegment(tenant, segment, onDelete)));
}

async function sweepSegment(
  { id, session }: Tenant,
  segment: number,
  onDelete: (items: number) => void,
): Promise<void> {
  const table = session.tables.of(id);
  const { clock } = session;
  const register = registerKey(id, '');
  let start: Record<string, unknown> | undefined;
  do {
    const command = new ScanCommand({
      TableName: table.name,
      FilterExpression:
        'begins_with(PK, :records) OR (begins_with(PK, :apps) AND #tenant = :tenant) OR (PK = :register AND begins_with(SK, :registered))',
      ProjectionExpression: 'PK, SK',
      ExpressionAttributeNames: { '#tenant': 'tenant' },
      ExpressionAttributeValues: {
        ':records': recordsPartition(id, ''),
        ':apps': APPS,
        ':tenant': id,
        ':register': register.PK,
        ':registered': register.SK,
      },
      Segment: segment,
      TotalSegments: SEGMENTS,
      ConsistentRead: true,
      ExclusiveStartKey: start,
    });
    const { Items = [], LastEvaluatedKey } = await retry(() => table.client.send(command), {
      clock,
      deadline: clock() + TIMEOUT_MS,
    });
    await Promise.all(
      (Items as Key[]).map((key) =>
        key.PK.startsWith(APPS)
          ? deletePointer({ table, clock }, id, key.PK.slice(APPS.length))
          : deleteItem({ table, clock }, key),
      ),
    );
    onDelete(Items.length);
    start = LastEvaluatedKey;
  } while (start !== undefined);
}
