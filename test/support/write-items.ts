import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Item, Table } from '@custodia/counted-lists';
import { withConcurrency } from '../../local/pool.ts';

/** Most items of a call (Amazon DynamoDB, BatchWriteItem). */
const A_BATCH = 25;

/** Writes items as they are, many at a time: a fast way to long lists. @throws whatever the table throws */
export async function writeItems(table: Table, items: readonly Item[], concurrency = 8): Promise<void> {
  const batches = Array.from({ length: Math.ceil(items.length / A_BATCH) }, (_, index) =>
    items.slice(index * A_BATCH, (index + 1) * A_BATCH),
  );
  await withConcurrency(concurrency, batches, (batch) => writeBatch(table, batch));
}

async function writeBatch(table: Table, items: readonly Item[]): Promise<void> {
  let requests = items.map((item) => ({ PutRequest: { Item: item as Record<string, unknown> } }));
  while (requests.length > 0) {
    const { UnprocessedItems = {} } = await table.client.send(
      new BatchWriteCommand({ RequestItems: { [table.name]: requests } }),
    );
    requests = (UnprocessedItems[table.name] ?? []) as typeof requests;
  }
}
