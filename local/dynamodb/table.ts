import {
  type AttributeDefinition,
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { schema } from '@custodia/counted-lists';

const WAIT_SECONDS = 30;

/** Creates the service's table where it is missing; resolves when it is active, with its TTL on. Safe to call again. */
export const createTable = async (client: DynamoDBClient, tableName: string): Promise<void> => {
  if (await createWhereMissing(client, tableName)) {
    await waitUntilTableExists(
      { client, maxWaitTime: WAIT_SECONDS, minDelay: 1, maxDelay: 1 },
      { TableName: tableName },
    );
  }
  await enableExpiry(client, tableName);
};

/** Whether the table may still be in creation. */
const createWhereMissing = async (client: DynamoDBClient, tableName: string): Promise<boolean> => {
  try {
    const { TableDescription } = await client.send(new CreateTableCommand(tableInput(tableName)));
    return TableDescription?.TableStatus !== 'ACTIVE';
  } catch (error) {
    if (error instanceof ResourceInUseException) return true;
    throw error;
  }
};

const tableInput = (tableName: string): CreateTableCommandInput => ({
  TableName: tableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [text(schema.KEYS.partition), text(schema.KEYS.sort)],
  KeySchema: [
    { AttributeName: schema.KEYS.partition, KeyType: 'HASH' },
    { AttributeName: schema.KEYS.sort, KeyType: 'RANGE' },
  ],
});

const text = (name: string): AttributeDefinition => ({ AttributeName: name, AttributeType: 'S' });

/** Turning TTL on twice is an error, so its state is read first. */
const enableExpiry = async (client: DynamoDBClient, tableName: string): Promise<void> => {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: tableName }));
  if (TimeToLiveDescription?.TimeToLiveStatus === 'ENABLED') return;
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: tableName,
      TimeToLiveSpecification: { AttributeName: schema.TTL, Enabled: true },
    }),
  );
};
