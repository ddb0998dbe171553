import { randomBytes } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Region and credentials for an emulator. The access key must be alphanumeric: DynamoDB Local refuses any other. */
export const LOCAL_AWS = {
  region: 'eu-west-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
} as const;

/** An access key that nobody can guess: 128 random bits. */
export const newAccessKeyId = (): string => randomBytes(16).toString('hex');

/** An endpoint with its access key in one string: `http://KEY@127.0.0.1:PORT`. */
export const withAccessKey = (endpoint: string, accessKeyId: string): string =>
  accessKeyId === LOCAL_AWS.credentials.accessKeyId ? endpoint : endpoint.replace('//', `//${accessKeyId}@`);

/** Parses the result of {@link withAccessKey}. An endpoint without a key uses that of {@link LOCAL_AWS}. */
export function endpointAndKey(text: string): { readonly endpoint: string; readonly accessKeyId: string } {
  const { username } = new URL(text);
  return username === ''
    ? { endpoint: text, accessKeyId: LOCAL_AWS.credentials.accessKeyId }
    : { endpoint: text.replace(`${username}@`, ''), accessKeyId: username };
}

/**
 * A client of the emulator at this endpoint, which may carry its access key. It reads no AWS configuration of the
 * machine.
 */
export function localDynamoDbClient(text: string): DynamoDBClient {
  const { endpoint, accessKeyId } = endpointAndKey(text);
  return new DynamoDBClient({
    endpoint,
    region: LOCAL_AWS.region,
    credentials: { ...LOCAL_AWS.credentials, accessKeyId },
  });
}
