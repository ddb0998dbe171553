import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { FreshTable } from './dynamodb.ts';
import type { Ran } from './operator.ts';

/**
 * Runs an erasure until all keys are deleted, and ends it there as Ctrl-C does. At the next run, the wait for requests
 * under way is over.
 */
export async function interruptErasure(
  { client, tableName }: FreshTable,
  orgId: string,
  run: (signal: AbortSignal) => Promise<Ran>,
): Promise<Ran> {
  const interrupt = new AbortController();
  const running = run(interrupt.signal);
  const Key = { PK: { S: `SUSPENDED#${orgId}` }, SK: { S: 'STATE' } };
  let isOver = false;
  void running.finally(() => {
    isOver = true;
  });
  for (let isClosed = false; !isClosed && !isOver; ) {
    const { Item } = await client.send(new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }));
    isClosed = Item?.closed_at !== undefined;
  }
  interrupt.abort();
  const ran = await running;
  await client.send(
    new UpdateItemCommand({
      TableName: tableName,
      Key,
      UpdateExpression: 'SET closed_at = :before',
      ConditionExpression: 'attribute_exists(closed_at)',
      ExpressionAttributeValues: { ':before': { S: new Date(Date.now() - 60_000).toISOString() } },
    }),
  );
  return ran;
}
