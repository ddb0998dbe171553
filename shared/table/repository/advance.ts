import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Key, retry, type Table, type TimeLimit } from '#lists';
import { CLOCKS_DIFFER_MS } from '../../clock.ts';

/** Longest time to retry while the item is in a transaction. In milliseconds. */
const TIMEOUT_MS = 500;

/**
 * Moves a time of a record forward, never back: one `UpdateItem`, refused where the record has that time or a later one already. A time in the
 * future is replaced: another container's clock was wrong (`docs/decisions/0160-clocks.md`).
 */
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
    // `NOT BETWEEN` and not `<` or `>`, which are false for null.
    ConditionExpression: 'id = :id AND NOT #field BETWEEN :value AND :latest',
    ExpressionAttributeNames: { '#field': field },
    ExpressionAttributeValues: {
      ':id': id,
      ':value': value,
      ':latest': new Date(clock() + CLOCKS_DIFFER_MS).toISOString(),
    },
  });
  const timeLimit = { clock, deadline: Math.min(deadline, clock() + TIMEOUT_MS) };
  await retry(() => table.client.send(command), timeLimit);
}
