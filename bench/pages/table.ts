import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { schema, type Table } from '@custodia/counted-lists';
import { LOCAL_AWS, localDynamoDbClient } from '../../local/dynamodb/index.ts';
import { tableOf } from '../../shared/table/index.ts';
import { ConflictingHandler, type Conflicts } from '../../test/support/conflicts.ts';

/** An index by which the usual ways list with a filter; the service's table has none. */
export interface PeerIndex {
  readonly name: string;
  readonly partition: string;
  readonly sort: string;
}

export const peerIndex = (position = 1): PeerIndex => ({
  name: `list${position}`,
  partition: `L${position}`,
  sort: schema.KEYS.sort,
});

/**
 * A table with the service's keys, where transactions conflict as in DynamoDB, and with the indexes of the usual ways.
 */
export async function freshTable(endpoint: string, conflicts: Conflicts, indexes: number): Promise<Table> {
  const name = `bench-${indexes}`;
  const peers = Array.from({ length: indexes }, (_, index) => peerIndex(index + 1));
  const key = (hash: string, range: string) => [
    { AttributeName: hash, KeyType: 'HASH' as const },
    { AttributeName: range, KeyType: 'RANGE' as const },
  ];
  const create = new CreateTableCommand({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: key(schema.KEYS.partition, schema.KEYS.sort),
    AttributeDefinitions: [schema.KEYS.partition, schema.KEYS.sort, ...peers.map(({ partition }) => partition)].map(
      (AttributeName) => ({ AttributeName, AttributeType: 'S' }),
    ),
    ...(indexes === 0
      ? {}
      : {
          GlobalSecondaryIndexes: peers.map(({ name: IndexName, partition, sort }) => ({
            IndexName,
            KeySchema: key(partition, sort),
            Projection: { ProjectionType: 'ALL' as const },
          })),
        }),
  });
  await localDynamoDbClient(endpoint).send(create);
  const requestHandler = new ConflictingHandler(conflicts);
  return tableOf(name, { endpoint, ...LOCAL_AWS, requestHandler });
}
