import { TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, type Key, retry, Table } from '@custodia/counted-lists';
import type { TimeLimit } from '../clock.ts';

/**
 * Reads up to 100 items in a transaction: one that is visible in another item already is visible in these, too (AWS,
 * "Amazon DynamoDB Transactions: How it works", "Isolation levels").
 * @returns them in the order of their keys, undefined where there is none, and the units that it took
 * @throws TableUnavailable when time runs out
 */
export async function readTogether({ client, name }: Table, keys: readonly Key[], timeLimit: TimeLimit) {
  const TransactItems = keys.map((key) => ({ Get: { TableName: name, Key: { ...key } } }));
  const output = await retry(() => client.send(new TransactGetCommand({ TransactItems })), timeLimit);
  const items = (output.Responses ?? []).map(({ Item: item }): Item | undefined => item);
  return { items, units: Table.unitsIn(output) };
}
