import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Item } from './schema.ts';
import type { Table } from './table.ts';

/** What is queried, as `QueryCommand` names it. */
export interface Query {
  readonly KeyConditionExpression: string;
  readonly ExpressionAttributeValues: Readonly<Record<string, unknown>>;
}

/** All items of a query, or the first `most`, one page after another. Strongly consistent. */
export async function queryAll(table: Table, query: Query, most?: number): Promise<Item[]> {
  const items: Item[] = [];
  let start: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        ...query,
        ConsistentRead: true,
        ...(most === undefined ? {} : { Limit: most - items.length }),
        ExclusiveStartKey: start,
      }),
    );
    items.push(...Items);
    start = LastEvaluatedKey;
  } while (start !== undefined && items.length !== most);
  return items;
}
