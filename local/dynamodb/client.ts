import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type AttributeDefinition,
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { schema } from '@custodia/counted-lists';

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

interface LocalConnection {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/**
 * How to reach an emulator, as the SDK's clients are configured. They then read no AWS configuration of the machine.
 * @param address with its access key, as {@link withAccessKey} makes it; without one, the key of every emulator
 * @example
 * new DynamoDBClient(localConnection('http://127.0.0.1:8000'));
 */
export function localConnection(address: string): LocalConnection;
export function localConnection(): Omit<LocalConnection, 'endpoint'>;
export function localConnection(address?: string): Partial<LocalConnection> {
  if (address === undefined) return LOCAL_AWS;
  const { username } = new URL(address);
  if (username === '') return { endpoint: address, ...LOCAL_AWS };
  const credentials = { ...LOCAL_AWS.credentials, accessKeyId: username };
  return { endpoint: address.replace(`${username}@`, ''), region: LOCAL_AWS.region, credentials };
}

/** An engine responded with an error. */
class EngineError extends Error {
  override readonly name = 'EngineError';
}

/**
 * Calls an operation that the table's client does not have: `DynamoDBStreams_20120810.GetRecords`. No engine verifies
 * the signature, but each requires a well-formed one.
 * @param address with its access key, where it requires one
 * @throws EngineError, or what `fetch` throws
 */
export async function callEngine(address: string, target: string, body: object, signal: AbortSignal): Promise<unknown> {
  const { endpoint, region, credentials } = localConnection(address);
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-amz-json-1.0',
      'X-Amz-Target': target,
      'X-Amz-Date': '20250101T000000Z',
      Authorization:
        'AWS4-HMAC-SHA256 ' +
        `Credential=${credentials.accessKeyId}/20250101/${region}/dynamodb/aws4_request, SignedHeaders=host, ` +
        'Signature=0',
    },
    body: JSON.stringify(body),
    signal,
  });
  const reply = await response.text();
  if (!response.ok) throw new EngineError(`${response.status} ${reply}`);
  return JSON.parse(reply);
}

/** Longest time for one call, and for all calls together, in milliseconds. */
const CALL_MS = 10_000;
const DEADLINE_MS = 30_000;
const PAUSE_MS = 100;

/**
 * Lists the tables, which makes the engine open its database. Retries where the connection is dropped: the engine may
 * be starting, or a proxy such as Docker's may be up before it.
 * @throws Error when it responds with an error, nothing listens there, or no call succeeds within thirty seconds
 */
export async function probe(address: string): Promise<void> {
  for (const end = performance.now() + DEADLINE_MS; ; await wait(PAUSE_MS)) {
    try {
      await callEngine(address, 'DynamoDB_20120810.ListTables', {}, AbortSignal.timeout(CALL_MS));
      return;
    } catch (error) {
      if (!isDropped(error) || performance.now() > end) throw error;
    }
  }
}

/** How `fetch` fails where the other side closes or resets the connection. */
const DROPPED: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Whether the call was begun and got no response. */
function isDropped(error: unknown): boolean {
  const { name, cause } = error as { readonly name: string; readonly cause?: { readonly code?: unknown } };
  return name === 'TimeoutError' || DROPPED.has(cause?.code);
}

const WAIT_SECONDS = 30;

/**
 * Creates the service's table where it is missing; resolves when it is active, with its TTL on. Safe to call again.
 * @param address of the DynamoDB, with its access key where it requires one
 * @example await createTable('http://127.0.0.1:8000', 'custodia');
 */
export async function createTable(address: string, tableName: string): Promise<void> {
  const client = new DynamoDBClient(localConnection(address));
  try {
    if (await createWhereMissing(client, tableName)) {
      await waitUntilTableExists(
        { client, maxWaitTime: WAIT_SECONDS, minDelay: 1, maxDelay: 1 },
        { TableName: tableName },
      );
    }
    await enableExpiry(client, tableName);
  } finally {
    client.destroy();
  }
}

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
