import { randomUUID } from 'node:crypto';
import { CreateTableCommand, DeleteTableCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { FreshTable } from './dynamodb.ts';
import { dumpOf } from './table-dump.ts';

/** A copy of a table as it is now, as a restore of AWS makes one: of the same items and keys, without expiry. @returns its name */
export async function copyOf(table: FreshTable): Promise<string> {
  const name = await tableWithKeys(table, 'PK', 'SK');
  const items = await dumpOf(table);
  await Promise.all(items.map((Item) => table.client.send(new PutItemCommand({ TableName: name, Item }))));
  return name;
}

/** An empty table with these keys. @returns its name */
export async function tableWithKeys({ client }: FreshTable, ...names: readonly [string, string]): Promise<string> {
  const TableName = `copy-${randomUUID()}`;
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: names.map((AttributeName, index) => ({ AttributeName, KeyType: index === 0 ? 'HASH' : 'RANGE' })),
    }),
  );
  return TableName;
}

export const dropTable = ({ client }: FreshTable, TableName: string): Promise<unknown> =>
  client.send(new DeleteTableCommand({ TableName }));
