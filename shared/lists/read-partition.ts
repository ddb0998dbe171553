import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Clock } from '../clock.ts';
import type { Item } from './schema.ts';
import type { Table } from './table.ts';
import { retry } from './transaction/retry.ts';

interface Place {
  readonly table: Table;
  readonly clock: Clock;
}

/** Longest time for one query, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** All items of a partition in the order of their sort keys, one query at a time. Strongly consistent, with retries. */
export async function* readPartition({ table, clock }: Place, partition: string, from = ''): AsyncGenerator<Item> {
  let start: Record<string, unknown> | undefined;
  do {
    const command = new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: `PK = :partition${from === '' ? '' : ' AND SK >= :from'}`,
      ExpressionAttributeValues: { ':partition': partition, ...(from === '' ? {} : { ':from': from }) },
      ConsistentRead: true,
      ExclusiveStartKey: start,
    });
    const timeLimit = { clock, deadline: clock() + TIMEOUT_MS };
    const { Items = [], LastEvaluatedKey } = await retry(() => table.client.send(command), timeLimit);
    yield* Items;
    start = LastEvaluatedKey;
  } while (start !== undefined);
}
