import { type AttributeValue, DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';

/** The table as the storage code reaches it: a client and the table's name. */
export interface Table {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
}

/** Whole numbers past 2^53 (words of holes) come back as bigint, everything else as number. */
const exactNumber = (value: string): number | bigint => {
  const number = Number(value);
  return Number.isSafeInteger(number) || !/^-?\d+$/.test(value) ? number : BigInt(value);
};

/** The item in an error: the document client translates answers only, and errors carry the item as DynamoDB sent it. */
export const itemOf = (raw: Record<string, AttributeValue> | undefined): Record<string, unknown> | undefined =>
  raw === undefined ? undefined : unmarshall(raw, { wrapNumbers: exactNumber });

/** A table reached with this configuration. */
export const tableOf = (name: string, config: DynamoDBClientConfig): Table => ({
  name,
  client: DynamoDBDocumentClient.from(new DynamoDBClient(config), {
    unmarshallOptions: { wrapNumbers: exactNumber },
  }),
});

/** DynamoDB's own limits are 1 s and more; a call that takes longer than this is tried again. In milliseconds. */
const TIMEOUTS = { connectionTimeout: 1_000, requestTimeout: 4_000, throwOnRequestTimeout: true } as const;

let shared: Table | undefined;
let overrides: DynamoDBClientConfig = {};

/**
 * The table of this function: `TABLE_NAME`, at `DYNAMODB_ENDPOINT` where one is named. Made once for a warm container.
 * @throws Error when `TABLE_NAME` is not set.
 */
export function environmentTable(): Table {
  shared ??= tableOf(required('TABLE_NAME'), {
    requestHandler: TIMEOUTS,
    ...(process.env.DYNAMODB_ENDPOINT === undefined ? {} : { endpoint: process.env.DYNAMODB_ENDPOINT }),
    ...overrides,
  });
  return shared;
}

/** For tests: use these settings (a request handler that injects faults, say) from the next call of `environmentTable` on. */
export function configureTable(config: DynamoDBClientConfig): void {
  overrides = config;
  shared = undefined;
}

function required(variable: string): string {
  const value = process.env[variable];
  if (value === undefined || value === '') throw new Error(`${variable} is not set`);
  return value;
}
