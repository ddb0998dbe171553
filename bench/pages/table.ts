import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { LOCAL_CREDENTIALS, LOCAL_REGION, localDynamoDbClient } from '../../local/dynamodb/client.ts';
import { type Table, tableOf } from '../../shared/table/client.ts';
import { KEYS, listIndex } from '../../shared/table/schema.ts';

/** The service's table with the one list index that these lists need: DynamoDB Local is three times slower with all eleven. */
export async function freshTable(endpoint: string): Promise<Table> {
  const { name, partition, sort } = listIndex(1);
  const key = (hash: string, range: string) => [
    { AttributeName: hash, KeyType: 'HASH' as const },
    { AttributeName: range, KeyType: 'RANGE' as const },
  ];
  const create = new CreateTableCommand({
    TableName: 'bench',
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: key(KEYS.partition, KEYS.sort),
    AttributeDefinitions: [
      { AttributeName: KEYS.partition, AttributeType: 'S' },
      { AttributeName: KEYS.sort, AttributeType: 'S' },
      { AttributeName: partition, AttributeType: 'S' },
      { AttributeName: sort, AttributeType: 'N' },
    ],
    GlobalSecondaryIndexes: [
      { IndexName: name, KeySchema: key(partition, sort), Projection: { ProjectionType: 'ALL' } },
    ],
  });
  await localDynamoDbClient(endpoint).send(create);
  return tableOf('bench', { endpoint, region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS });
}
