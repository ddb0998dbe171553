import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** What an emulator needs to be told; the access key must be alphanumeric, DynamoDB Local refuses any other. */
export const LOCAL_REGION = 'eu-west-1';
export const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

/** A client of the emulator at `endpoint`, which reads no AWS configuration of the machine. */
export const localDynamoDbClient = (endpoint: string): DynamoDBClient =>
  new DynamoDBClient({ endpoint, region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS });
