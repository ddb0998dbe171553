import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Key, readPartition, retry, schema, storedSets, type Table } from '@custodia/counted-lists';
import { keepNewest } from '../../memory.ts';
import { valueIn, valueKey, valuesPartition } from '../keys.ts';
import type { Records } from './record-reader.ts';

/**
 * The values that callers have chosen for the filters of a list (`docs/decisions/0170-filters.md`). The key of a
 * value's set contains the value, and DynamoDB lists no partitions. So one partition has an item for each value.
 * Erasure uses it to find the set of a value that no record has any more.
 */

/** Values that this container has noted, the least recently used first. */
const noted = new Map<string, true>();
const KEPT = 10_000;

const DAY_MS = 86_400_000;

/**
 * Notes values of filters, beside the operation. The commit waits for it: a value is noted before its set exists. One write unit for each value, once
 * in a container; in a list whose records expire once a day.
 */
export function noteValues(
  { session, table, location: { partition }, entity: { retentionDays } }: Records,
  values: readonly FilterValue[],
): void {
  const day = retentionDays === undefined ? '' : Math.floor(session.now / DAY_MS);
  for (const { field, value } of values) {
    const key = valueKey(partition, field, value);
    const name = `${table.name} ${key.PK} ${key.SK} ${day}`;
    if (noted.has(name)) continue;
    session.changes.check(async () => {
      await retry(() => putValue(table, key, valueExpiry(retentionDays, session.now)), session);
      keepNewest(noted, name, true, KEPT);
    });
  }
}

interface FilterValue {
  readonly field: string;
  readonly value: string;
}

/** Expiry of a value's note, where records expire: after that of all items of its set. In epoch seconds. */
export const valueExpiry = (retentionDays: number | undefined, now: number): number | undefined =>
  retentionDays === undefined
    ? undefined
    : storedSets.expiryAfter(Math.ceil((now + 2 * retentionDays * DAY_MS) / 1_000));

/** Notes a value. The expiry is only ever moved forward: another writer's clock may be ahead. */
export async function putValue(table: Table, key: Key, expires: number | undefined): Promise<void> {
  if (expires === undefined) {
    await table.client.send(new PutCommand({ TableName: table.name, Item: { ...key } }));
    return;
  }
  const command = new UpdateCommand({
    TableName: table.name,
    Key: { ...key },
    UpdateExpression: 'SET #ttl = :expires',
    ConditionExpression: 'attribute_not_exists(#ttl) OR #ttl < :expires',
    ExpressionAttributeNames: { '#ttl': schema.TTL },
    ExpressionAttributeValues: { ':expires': expires },
  });
  await table.client.send(command).catch((error: unknown) => {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  });
}

/** The noted values of a list, by field. */
export async function readValues(
  place: Parameters<typeof readPartition>[0],
  partition: string,
): Promise<Map<string, Set<string>>> {
  const values = new Map<string, Set<string>>();
  for await (const { SK } of readPartition(place, valuesPartition(partition))) {
    const [field, value] = valueIn({ SK: String(SK) });
    values.set(field, (values.get(field) ?? new Set<string>()).add(value));
  }
  return values;
}
