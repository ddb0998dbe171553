import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { listErrors, type Observer, Table } from '@custodia/counted-lists';
import { assumeRole, type CallerClient, leanDocumentClient } from '@custodia/lean-dynamodb';
import { countUnits, increment, workBegun } from '#telemetry';
import { systemClock } from '../../clock.ts';
import { keepNewest } from '../../memory.ts';
import { EMPTY_KEYS, type TenantId } from '../keys.ts';
import {
  KEPT_TENANTS,
  LIFETIME,
  type SessionSource,
  type TenantCredentials,
  TenantSessions,
} from './tenant-sessions.ts';

/**
 * A table client with this configuration.
 * @example tableOf('records', localConnection('http://127.0.0.1:8000'))
 */
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
 * The table `TABLE_NAME`, at `DYNAMODB_ENDPOINT` where that is set, with the function's own rights. Created once per
 * container. In AWS these rights only allow reading integrations by app code: tenants' data needs {@link tenantTable}.
 * @throws Error when `TABLE_NAME` is not set.
 */
export function environmentTable(): Table {
  shared ??= tableOf(required('TABLE_NAME'), config());
  return shared;
}

/**
 * Reads a key that has no item, with the function's own rights, for half a read unit: a warm start, which opens the
 * connection. It touches nothing of a tenant. @throws what the call throws
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
 * The table with one tenant's rights: a session of `TENANT_ROLE_ARN`, which AWS restricts to the tenant's keys. Without
 * that variable (local installations, most tests) it is {@link environmentTable}.
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
 * All tenants' clients share the connections of the function's own, and what it looks up once in the environment and in
 * files: that is half the cost of a client.
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

const config = (): DynamoDBClientConfig => ({
  requestHandler: TIMEOUTS,
  maxAttempts: ATTEMPTS,
  ...(process.env.DYNAMODB_ENDPOINT === undefined ? {} : { endpoint: process.env.DYNAMODB_ENDPOINT }),
  ...overrides,
});

/**
 * For tests: settings such as a request handler that injects faults, used from the next `environmentTable` or
 * `tenantTable` on.
 * @param source a number from 0 up to, not including, 1, for the times of renewals
 * @example configureTable({ requestHandler }); // each later session uses it
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

const COUNTERS = {
  calls: 'TableCalls',
  retries: 'TableRetries',
  conflicts: 'TransactionConflicts',
  fences: 'ListFences',
  releases: 'ListReturns',
  compactions: 'ListCompactions',
} as const;

/** Reports what the table does to the metrics of the invocation. */
export const observer: Observer = {
  count: (what, times) => increment(COUNTERS[what], times),
  countUnits,
  callsMade: () => workBegun().calls,
};

/** The longest wait of a response for a session that is being renewed, in milliseconds. */
const LONGEST_WAIT = 500;

/** The table with the rights of this function, and of each tenant. */
export class TenantTables {
  /** The table with the function's own rights, for reads before the tenant is known (`#tenancy`, `readCredentials`). */
  readonly environment: Table;
  /** The table with the rights of this tenant only. */
  readonly of: (tenant: TenantId) => Table;

  constructor(environment: Table, open: (tenant: TenantId) => Table) {
    this.environment = environment;
    // To look into the environment takes a microsecond, and a request asks ten times.
    const opened = new Map<TenantId, Table>();
    const of = (tenant: TenantId): Table => opened.get(tenant) ?? remember(opened, tenant, open(tenant));
    this.of = of;
  }

  /** Begins to open the tenant's STS session for the following calls. After a failure, a call tries again. */
  open(tenant: TenantId): void {
    this.of(tenant)
      .client.config.credentials()
      .catch(() => undefined);
  }

  /** The credentials of a session of the tenant that still lasts so many milliseconds. */
  credentialsOf(tenant: TenantId, lasting: number): Promise<TenantCredentials> {
    const provide = this.of(tenant).client.config.credentials as Provider;
    return provide({ lasting });
  }

  /**
   * Waits for STS sessions that were asked for since then and are still being opened. Lambda may freeze the container
   * after the response: the call would time out when it runs again, and be sent again.
   * @param since in epoch milliseconds
   */
  async settleSessions(since: number): Promise<void> {
    const settled = sessions?.settled(since);
    if (settled !== undefined) await Promise.race([settled, sleep(LONGEST_WAIT, undefined, { ref: false })]);
  }

  /**
   * Checks that the table can be read, with the function's own rights: one eventually consistent `GetItem` of a key
   * that has no item, which is half a read unit.
   * @throws TableUnavailable for any reason, also where other requests get 500: a missing right or a missing table
   */
  async check(): Promise<void> {
    const { client, name } = this.environment;
    try {
      await client.send(new GetCommand({ TableName: name, Key: { ...EMPTY_KEYS.health } }));
    } catch (cause) {
      throw new listErrors.TableUnavailable('the table cannot be read', { cause });
    }
  }
}

function remember(opened: Map<TenantId, Table>, tenant: TenantId, table: Table): Table {
  opened.set(tenant, table);
  return table;
}

/**
 * A function's credentials for one tenant: a session of the tenant role, tagged with the tenant. The role's policy
 * compares the tag with the partition key of every item (`infra/roles/tenant-role.ts`), and the policy of the key of
 * secrets compares it with the encryption context, so that AWS itself keeps the function inside the tenant
 * (`docs/decisions/0050-tenant-sessions.md`).
 */

/** The session tag with the tenant, which the tenant role's policy reads. */
export const TENANT_TAG = 'tenant';

/** An organization's id or `PLATFORM`. Nothing else may become a tag, above all no wildcard. */
const TENANT = /^(PLATFORM|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/;

/** A credential provider of the SDK. `forceRefresh` asks for new credentials, `lasting` for a session that lasts. */
type Provider = (options?: {
  readonly forceRefresh?: boolean;
  readonly lasting?: number;
}) => Promise<TenantCredentials>;

/**
 * The credential provider of a tenant's client.
 * It throws TypeError for an invalid tenant, and the errors of STS, of which transient ones become a 503 (`retry.ts`).
 */
function tenantCredentials(sessions: TenantSessions, tenant: string): Provider {
  const provide: Provider = async ({ forceRefresh, lasting } = {}) => {
    if (!TENANT.test(tenant)) throw new TypeError('a tenant must be a UUID or PLATFORM');
    return sessions.credentialsOf(tenant, forceRefresh, lasting);
  };
  // Otherwise the SDK would cache them by its own rules, which wait for each renewal.
  return Object.assign(provide, { memoized: true });
}

/**
 * Sessions of the tenant role.
 * @param functionClient the client of the function, whose role assumes the tenant role
 */
export const tenantSessions = (
  functionClient: CallerClient,
  role: string,
  source: Pick<SessionSource, 'clock' | 'random'>,
): TenantSessions =>
  new TenantSessions({
    ...source,
    lifetime: LIFETIME * 1000,
    open: (tenant) => openSession(functionClient, role, tenant),
  });

async function openSession(functionClient: CallerClient, role: string, tenant: string): Promise<TenantCredentials> {
  increment('StsCalls');
  const tag = { key: TENANT_TAG, value: tenant };
  const session = await assumeRole(functionClient, { role, name: `tenant-${tenant}`, duration: LIFETIME, tag });
  return {
    accessKeyId: copyOf(session.accessKeyId),
    secretAccessKey: copyOf(session.secretAccessKey),
    sessionToken: copyOf(session.sessionToken),
  };
}

/** A part of a longer text keeps all of it in memory, and a session is kept for long. */
const copyOf = (text: string): string => Buffer.from(text).toString();

/** Makes a client retry a request once in a new session where AWS reports its session as expired. */
function renewExpired({ middlewareStack, config }: Table['client']): void {
  middlewareStack.add(
    (next) => async (request) => {
      try {
        return await next(request);
      } catch (error) {
        if (!(error instanceof Error && error.name === 'ExpiredTokenException')) throw error;
        await config.credentials({ forceRefresh: true });
        return next(request);
      }
    },
    { step: 'initialize', name: 'renewExpired' },
  );
}
