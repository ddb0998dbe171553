import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { Table } from '@custodia/counted-lists';
import { leanDocumentClient } from '@custodia/lean-dynamodb';
import { systemClock } from '../../clock.ts';
import { keepNewest } from '../../memory.ts';
import { EMPTY_KEYS, type TenantId } from '../keys.ts';
import { observer } from './observer.ts';
import { renewExpired, tenantCredentials, tenantSessions } from './tenant-credentials.ts';
import { KEPT_TENANTS, type TenantSessions } from './tenant-sessions.ts';

/** A table client with this configuration. */
export const tableOf = (name: string, config: DynamoDBClientConfig): Table =>
  new Table(name, (readNumber) => leanDocumentClient(config, readNumber), observer);

/** A call that takes longer is retried. All attempts together take less than a request may. In milliseconds. */
const TIMEOUTS = { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true } as const;
const ATTEMPTS = 3;

let shared: Table | undefined;
const ofTenants = new Map<string, Table>();
let sessions: TenantSessions | undefined;
let overrides: DynamoDBClientConfig = {};
let random = Math.random;

/**
 * The table `TABLE_NAME`, at `DYNAMODB_ENDPOINT` where that is set, with the function's own rights. Created once per container. In AWS these
 * rights only allow reading integrations by app code: tenants' data needs {@link tenantTable}.
 * @throws Error when `TABLE_NAME` is not set.
 */
export function environmentTable(): Table {
  shared ??= tableOf(required('TABLE_NAME'), config());
  return shared;
}

/**
 * Reads a key that has no item, with the function's own rights, for half a read unit: a warm start, which opens the connection. It touches nothing of a
 * tenant. @throws what the call throws
 */
export async function readWarmKey(abortSignal: AbortSignal): Promise<void> {
  const { client, name } = environmentTable();
  await client.send(new GetCommand({ TableName: name, Key: { ...EMPTY_KEYS.warmStart } }), { abortSignal });
}

export type Credentials = NonNullable<DynamoDBClientConfig['credentials']>;

/** The table of {@link environmentTable}, with the rights of these credentials. */
export const tableWith = (credentials: Credentials): Table =>
  tableOf(required('TABLE_NAME'), { ...config(), credentials });

/**
 * The table with one tenant's rights: a session of `TENANT_ROLE_ARN`, which AWS restricts to the tenant's keys. Without that variable (local
 * installations, most tests) it is {@link environmentTable}.
 */
export const tenantTable = (tenant: TenantId): Table => tableFor(tenant);

/** The client of {@link tenantTable}, for calls of other services in the tenant's session. */
export const tenantClient = (tenant: string): Table['client'] => tableFor(tenant).client;

function tableFor(tenant: string): Table {
  const role = process.env.TENANT_ROLE_ARN;
  if (role === undefined) return environmentTable();
  const table = ofTenants.get(tenant) ?? openTable(role, tenant);
  keepNewest(ofTenants, tenant, table, KEPT_TENANTS);
  return table;
}

/**
 * All tenants' clients share the connections of the function's own, and what it looks up once in the environment and in files: that is half the
 * cost of a client.
 */
function openTable(role: string, tenant: string): Table {
  const { client, name } = environmentTable();
  sessions ??= tenantSessions(client, role, { clock: systemClock, random });
  const table = tableOf(name, { ...config(), ...sharedBy(client), credentials: tenantCredentials(sessions, tenant) });
  const { serviceConfiguredEndpoint } = client.config;
  Object.assign(table.client.config, { serviceConfiguredEndpoint });
  renewExpired(table.client);
  return table;
}

const sharedBy = ({ config }: Table['client']): DynamoDBClientConfig => ({
  requestHandler: config.requestHandler,
  region: config.region,
  retryMode: config.retryMode,
  useDualstackEndpoint: config.useDualstackEndpoint,
  useFipsEndpoint: config.useFipsEndpoint,
  accountIdEndpointMode: config.accountIdEndpointMode,
  userAgentAppId: config.userAgentAppId,
});

/** As {@link TenantSessions.settled}. */
export const sessionsSettled = (since: number): Promise<unknown> | undefined => sessions?.settled(since);

const config = (): DynamoDBClientConfig => ({
  requestHandler: TIMEOUTS,
  maxAttempts: ATTEMPTS,
  ...(process.env.DYNAMODB_ENDPOINT === undefined ? {} : { endpoint: process.env.DYNAMODB_ENDPOINT }),
  ...overrides,
});

/**
 * For tests: settings such as a request handler that injects faults, used from the next `environmentTable` or `tenantTable` on.
 * @param source a number from 0 up to, not including, 1, for the times of renewals
 */
export function configureTable(config: DynamoDBClientConfig, source: () => number = Math.random): void {
  overrides = config;
  random = source;
  shared = undefined;
  sessions = undefined;
  ofTenants.clear();
}

function required(variable: string): string {
  const value = process.env[variable];
  if (value === undefined || value === '') throw new Error(`${variable} is not set`);
  return value;
}
