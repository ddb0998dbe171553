import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Api } from './api.ts';
import { COUNTER } from './bits.ts';

/** Changes how many records a list of an organization seems to have had: the next number of its counter item. */
export async function lengthen(
  { table }: { readonly table: Api['table'] },
  { orgId }: { readonly orgId: string },
  list: string,
  count: number,
): Promise<void> {
  await table.client.send(
    new UpdateItemCommand({
      TableName: table.tableName,
      Key: { PK: { S: `ORG#${orgId}#${list}#SET` }, SK: { S: COUNTER } },
      UpdateExpression: 'ADD #next :count',
      ExpressionAttributeNames: { '#next': 'NEXT' },
      ExpressionAttributeValues: { ':count': { N: String(count) } },
    }),
  );
}
