import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, type Key, listErrors, retry, schema, Table } from '@custodia/counted-lists';
import type { TimeLimit } from '../clock.ts';

/**
 * Reads the items of up to 100 keys, by default strongly consistent.
 * @returns those that there are, by the names of their keys (`schema.nameOf`), and the units that it took
 * @throws TableUnavailable when time runs out
 */
export async function readItems(
  { client, name }: Table,
  keys: readonly Key[],
  timeLimit: TimeLimit,
  { ConsistentRead = true } = {},
) {
  const items = new Map<string, Item>();
  let units = 0;
  let unread = keys;
  await retry(async () => {
    if (unread.length === 0) return;
    const output = await client.send(
      new BatchGetCommand({
        RequestItems: { [name]: { Keys: unread.map((key) => ({ ...key })), ConsistentRead } },
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
    units += Table.unitsIn(output);
    for (const item of (output.Responses?.[name] ?? []) as Item[]) items.set(schema.nameOf(schema.keyIn(item)), item);
    unread = (output.UnprocessedKeys?.[name]?.Keys ?? []) as unknown as Key[];
    if (unread.length > 0) throw new listErrors.Unprocessed(`${unread.length} records were not read`);
  }, timeLimit);
  return { items, units };
}
