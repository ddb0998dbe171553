import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../connection/client.ts';
import type { Key } from '../keys.ts';
import { retry, type TimeLimit } from '../transaction/retry.ts';

/** Longest time to retry while the item is in a transaction. In milliseconds. */
const TIMEOUT_MS = 500;

/** Moves a text field of a record forward, never back: one `UpdateItem`, refused where the record has that text or a later one already. */
export async function advance(
  table: Table,
  key: Key,
  { id, field, value }: { readonly id: string; readonly field: string; readonly value: string },
  { clock, deadline }: TimeLimit,
): Promise<void> {
  const command = new UpdateCommand({
    TableName: table.name,
    Key: { ...key },
    UpdateExpression: 'SET #field = :value',
    // `NOT >=` and not `<`, which is false for null.
    ConditionExpression: 'id = :id AND NOT #field >= :value',
    ExpressionAttributeNames: { '#field': field },
    ExpressionAttributeValues: { ':id': id, ':value': value },
  });
  const timeLimit = { clock, deadline: Math.min(deadline, clock() + TIMEOUT_MS) };
  await retry(() => table.client.send(command), timeLimit);
}
