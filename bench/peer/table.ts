import { CreateTableCommand, DynamoDBClient, type GlobalSecondaryIndex } from '@aws-sdk/client-dynamodb';
import { schema } from '@custodia/counted-lists';
import { localConnection } from '#local-dynamodb';

/** The index by which the peers list clients of a status; the service's table has none. */
export const INDEX = { name: 'GSI1', partition: 'GSI1PK', sort: 'GSI1SK' } as const;

const key = (hash: string, range: string): GlobalSecondaryIndex['KeySchema'] => [
  { AttributeName: hash, KeyType: 'HASH' },
  { AttributeName: range, KeyType: 'RANGE' },
];

/** A table of a usual single-table design: generic keys, and an index with others. */
export async function createPeerTable(endpoint: string, tableName: string): Promise<void> {
  const index: GlobalSecondaryIndex = {
    IndexName: INDEX.name,
    KeySchema: key(INDEX.partition, INDEX.sort),
    Projection: { ProjectionType: 'ALL' },
  };
  await new DynamoDBClient(localConnection(endpoint)).send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: key(schema.KEYS.partition, schema.KEYS.sort),
      AttributeDefinitions: [schema.KEYS.partition, schema.KEYS.sort, INDEX.partition, INDEX.sort].map(
        (AttributeName) => ({
          AttributeName,
          AttributeType: 'S',
        }),
      ),
      GlobalSecondaryIndexes: [index],
    }),
  );
}
