import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { inject } from 'vitest';
import { createTable, localConnection } from '#local-dynamodb';
import { usePlainSockets } from './plain-sockets.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Endpoint of the in-memory DynamoDB that all test files share. */
    dynamoDbEndpoint: string;
  }
}

export interface FreshTable {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly endpoint: string;
}

/** An empty table for a test file, in the run's DynamoDB; it ends with the run. */
export const freshTable = async (): Promise<FreshTable> => {
  const endpoint = inject('dynamoDbEndpoint');
  usePlainSockets(endpoint);
  const client = new DynamoDBClient(localConnection(endpoint));
  const tableName = `test-${randomUUID()}`;
  await createTable(endpoint, tableName);
  return { client, tableName, endpoint };
};
