import { type AttributeValue, DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { TenantId } from '../keys.ts';
import { renewExpired, tenantCredentials } from './tenant-credentials.ts';

/** The table as the storage code reaches it: a client and the table's name. */
export interface Table {
  readonly client: DynamoDBDocumentClient;
  readonly name: string;
}

/** Whole numbers past 2^53 (words of bits) come back as bigint, everything else as number. */
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

/** A call that takes longer than this is tried again. All attempts together stay below what an answer may take. In milliseconds. */
const TIMEOUTS = { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true } as const;
const ATTEMPTS = 3;

let shared: Table | undefined;
const ofTenants = new Map<TenantId, Table>();
let overrides: DynamoDBClientConfig = {};

/**
 * The table as this function itself reaches it: `TABLE_NAME`, at `DYNAMODB_ENDPOINT` where one is named. Made once for a warm container.
 * In AWS that is to find integrations by app code and no further: tenants' data is behind {@link tenantTable}.
 * @throws Error when `TABLE_NAME` is not set.
 */
export function environmentTable(): Table {
  shared ??= tableOf(required('TABLE_NAME'), config());
  return shared;
}

/** Tenants whose clients a warm container keeps; the one not used for longest goes first. Each has 21 KB and its session. */
const KEPT_TENANTS = 100;

/**
 * The table as it is reached for one tenant: under `TENANT_ROLE_ARN`, in a session that AWS confines to the tenant's keys. Where no
 * role is named (one machine, most tests) that is {@link environmentTable}.
 */
export function tenantTable(tenant: TenantId): Table {
  const role = process.env.TENANT_ROLE_ARN;
  if (role === undefined) return environmentTable();
  const table = ofTenants.get(tenant) ?? openTable(role, tenant);
  ofTenants.delete(tenant);
  ofTenants.set(tenant, table);
  for (const longestUnused of ofTenants.keys()) {
    if (ofTenants.size <= KEPT_TENANTS) break;
    ofTenants.delete(longestUnused);
  }
  return table;
}

/** All tenants' clients share the connections of the function's own. */
function openTable(role: string, tenant: TenantId): Table {
  const { client, name } = environmentTable();
  const { requestHandler } = client.config;
  const table = tableOf(name, { ...config(), requestHandler, credentials: tenantCredentials(role, tenant) });
  renewExpired(table.client);
  return table;
}

const config = (): DynamoDBClientConfig => ({
  requestHandler: TIMEOUTS,
  maxAttempts: ATTEMPTS,
  ...(process.env.DYNAMODB_ENDPOINT === undefined ? {} : { endpoint: process.env.DYNAMODB_ENDPOINT }),
  ...overrides,
});

/** For tests: use these settings (a request handler that injects faults, say) from the next call of `environmentTable` and `tenantTable` on. */
export function configureTable(config: DynamoDBClientConfig): void {
  overrides = config;
  shared = undefined;
  ofTenants.clear();
}

function required(variable: string): string {
  const value = process.env[variable];
  if (value === undefined || value === '') throw new Error(`${variable} is not set`);
  return value;
}
