import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ensureLocalKeys } from '#auth';
import { createTable, localConnection, meter, probe, refuseWritesWhenFull, superviseDynamoDb } from '#local-dynamodb';
import { configureTable, environmentTable, RequestSession, Tenant } from '#table';
import { organizationList } from '#tenancy';
import { contracts } from '../functions/all-contracts.ts';
import { SetupError } from '../shared/errors.ts';
import { startDeliveries } from './deliveries/index.ts';
import { setFunctionEnvironment } from './environment.ts';
import { loadFromSource } from './functions.ts';
import { type Gateway, type GatewayOptions, startGateway } from './gateway/gateway.ts';
import { keyOf, startObjectStore } from './objects/index.ts';
import { ensurePlatformIntegration } from './platform.ts';
import { IN_MEMORY, LOCAL_TABLE, type LocalSettings } from './settings.ts';
import { type Log, readableStack, terminalLog } from './terminal/log.ts';
import { terminalRequestLog } from './terminal/request-log.ts';

type Supervisor = Parameters<typeof superviseDynamoDb>[1];
type FileSystemOf = Parameters<typeof refuseWritesWhenFull>[2];

const AUTHORIZER = 'authorizer';

/**
 * How long the calls of a start may take, which nobody waits for with a request: a machine that is busy starts an
 * engine slowly. In milliseconds.
 */
const PATIENCE = 10_000;
const FIRST_CALLS: Parameters<typeof configureTable>[0] = {
  requestHandler: { connectionTimeout: PATIENCE, requestTimeout: PATIENCE, throwOnRequestTimeout: true },
};

export interface LocalApi {
  readonly url: string;
  /** A description of the DynamoDB. */
  readonly storage: string;
  readonly platform: {
    readonly appCode: string;
    readonly secret: string;
    /** Whether the secret was given by `PLATFORM_SECRET`: then it is not printed. */
    readonly isSecretGiven: boolean;
  };
  /** Requests without a response: while it runs, those under way; once it has closed, those that were dropped. */
  unfinished(): number;
  /** Resolves when everything that was started has stopped. May be called twice. */
  close(): Promise<void>;
}

interface LocalApiOptions extends Pick<GatewayOptions, 'authorizerTtlSeconds'> {
  /** Default: warnings and errors, on the terminal. */
  readonly log?: Log;
  /** Reads how much room a disk has. Default: that of `node:fs`. */
  readonly fileSystemOf?: FileSystemOf | undefined;
  /** Whether events are delivered. Default: yes. What measures requests turns it off. */
  readonly deliveries?: boolean;
  /** Called when the DynamoDB has ended and cannot be restarted. Default: logs it. */
  readonly onFailure?: (error: unknown) => void;
}

/**
 * Starts the whole API on this machine: DynamoDB, keys, table, platform integration and gateway.
 * It changes the environment of this process, which the functions read.
 * @throws SetupError, and leaves nothing behind
 */
export async function startLocalApi(
  settings: LocalSettings,
  {
    log = terminalLog('warn'),
    onFailure = (error) => log.error(readableStack(error)),
    fileSystemOf,
    deliveries = true,
    ...gatewayOptions
  }: LocalApiOptions = {},
): Promise<LocalApi> {
  const ready = Promise.withResolvers<void>();
  // Another instance that is refused the port leaves nothing behind.
  await using listening = new AsyncDisposableStack();
  const gateway = await listen(settings, log, gatewayOptions, ready.promise);
  listening.defer(() => gateway.close());
  listening.defer(() => ready.reject(new SetupError('The API did not start.')));
  await using started = new AsyncDisposableStack();
  const directory = dataDirectory(settings.dataDir);
  started.defer(directory.release);
  const loading = loadAll();
  // The first failure is reported; a second one must not end the process.
  loading.catch(() => undefined);

  const keyFile = join(directory.path, 'keys.json');
  const { platformSecret: secret, rateLimit, corsOrigins, eventTargets, ticketWords } = settings;
  const disk = isOnDisk(settings) ? directory.path : undefined;
  const connect = (config: Parameters<typeof configureTable>[0] = {}): void => {
    configureTable(config);
    if (disk !== undefined) refuseWritesWhenFull(environmentTable(), disk, fileSystemOf);
    if (log.writes('info')) meter(environmentTable(), log.debug);
  };
  const { host } = settings;
  let address = '';
  const secretOf = keyOf(() => address);
  const objects = await startObjectStore({ directory: join(directory.path, 'objects'), host, corsOrigins, secretOf });
  started.use(objects);
  const workAt = async (endpoint: string): Promise<void> => {
    address = endpoint;
    const given = { rateLimit, corsOrigins, eventTargets, ticketWords };
    const accessLines = log.writes('debug');
    const { authorizerTtlSeconds } = gatewayOptions;
    const environment = { tableName: LOCAL_TABLE, endpoint, keyFile, firstKey: true, attachmentsUrl: objects.url };
    setFunctionEnvironment({ ...environment, accessLines, authorizerTtlSeconds, ...given });
    connect(FIRST_CALLS);
    await createTable(endpoint, LOCAL_TABLE);
  };
  const ensurePlatform = () => ensurePlatformIntegration({ dataDir: directory.path, ...(secret && { secret }) });
  const storage = await storageOf(settings, fileSystemOf, {
    onDeath: (how) => log.warn(deathOf(how, settings)),
    onRestart: async (endpoint) => {
      await workAt(endpoint);
      await ensurePlatform();
      connect();
      log.warn(`DynamoDB answers again, at ${shown(endpoint, settings)}.`);
    },
    onGivenUp: onFailure,
  });
  started.defer(storage.stop);
  await Promise.all([ensureLocalKeys(keyFile), workAt(storage.endpoint), loading]);
  const [integration] = await Promise.all([
    ensurePlatform(),
    finishCascadeDeletes(RequestSession.ofEnvironment(Number.POSITIVE_INFINITY)),
  ]);
  connect();
  const platform = { ...integration, isSecretGiven: secret !== undefined };

  ready.resolve();
  // It closes first, because requests under way need the storage.
  started.use(listening.move());
  if (deliveries) started.use(startDeliveries({ address: () => address, tableName: LOCAL_TABLE, log }));
  const all = started.move();
  const { url, unfinished } = gateway;
  return { url, storage: storage.name, platform, unfinished, close: () => all.disposeAsync() };
}

/** The directory of the local keys. With `:memory:` it is deleted with this process. */
function dataDirectory(dataDir: string): { readonly path: string; readonly release: () => void } {
  if (dataDir === IN_MEMORY) {
    const path = mkdtempSync(join(tmpdir(), 'custodia-'));
    const release = (): void => {
      process.off('exit', release);
      rmSync(path, { recursive: true, force: true });
    };
    process.once('exit', release);
    return { path, release };
  }
  const path = resolve(dataDir);
  try {
    // It contains the signing key: only its owner may read it.
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SetupError(
      `The data directory ${path} cannot be made (${code}): make its parent writable, or set DATA_DIR to another ` +
        'directory.',
      { cause: error },
    );
  }
  return { path, release: () => undefined };
}

/** Whether there is a disk to check: not for data in memory, nor for a DynamoDB that somebody else has started. */
const isOnDisk = ({ dataDir, dynamoDbEndpoint }: LocalSettings): boolean =>
  dataDir !== IN_MEMORY && dynamoDbEndpoint === undefined;

interface Storage {
  readonly endpoint: string;
  readonly name: string;
  stop(): Promise<void>;
}

const deathOf = (how: string, { dataDir }: LocalSettings): string => {
  const data = dataDir === IN_MEMORY ? 'empty, as it was in memory' : `over its data in ${resolve(dataDir)}`;
  return `The embedded DynamoDB has died (${how}). It is started again, ${data}.`;
};

/**
 * An endpoint for the terminal. For data in memory it includes the key; a data directory contains the key in a file.
 */
const shown = (endpoint: string, { dataDir }: Pick<LocalSettings, 'dataDir'>): string =>
  dataDir === IN_MEMORY ? endpoint : localConnection(endpoint).endpoint;

async function storageOf(
  { dynamoDbEndpoint, dataDir }: LocalSettings,
  fileSystemOf: FileSystemOf | undefined,
  supervisor: Supervisor,
): Promise<Storage> {
  if (dynamoDbEndpoint === undefined) {
    const { endpoint, engine, stop } = await superviseDynamoDb(
      { dataDir, ...(fileSystemOf && { fileSystemOf }) },
      supervisor,
    );
    const engineName = engine === 'java' ? 'DynamoDB Local' : 'dynoxide';
    const place = dataDir === IN_MEMORY ? 'in memory, gone when it stops' : resolve(dataDir);
    return { endpoint, name: `${place} (${engineName} at ${shown(endpoint, { dataDir })})`, stop };
  }
  await probe(dynamoDbEndpoint).catch((error: unknown) => {
    throw new SetupError(
      `No DynamoDB answers at ${dynamoDbEndpoint}: start one there, or unset DYNAMODB_ENDPOINT to have one started.`,
      { cause: error },
    );
  });
  return { endpoint: dynamoDbEndpoint, name: dynamoDbEndpoint, stop: async () => undefined };
}

/** Loads every function, so that a mistake in one shows at once, and the first request is as quick as later ones. */
const loadAll = (): Promise<unknown> =>
  Promise.all([AUTHORIZER, ...contracts.map(({ name }) => name)].map(loadFromSource));

/** Requests that arrive before the rest is `ready` wait for it. */
async function listen(
  { port, host, allowedHosts = [], throttling, inFlight, corsOrigins = [] }: LocalSettings,
  log: Log,
  options: Pick<GatewayOptions, 'authorizerTtlSeconds'>,
  ready: Promise<void>,
): Promise<Gateway> {
  // Nobody may wait for it.
  ready.catch(() => undefined);
  try {
    return await startGateway({
      contracts,
      loadFunction: async (name) => {
        await ready;
        return loadFromSource(name);
      },
      authorizer: AUTHORIZER,
      firstKey: true,
      port,
      host,
      allowedHosts,
      throttling,
      limits: inFlight === undefined ? {} : { inFlight },
      corsOrigins,
      around: log.writes('info') ? terminalRequestLog(log) : undefined,
      report: (failure, cause) => log.error(`${failure}\n${readableStack(cause)}`),
      ...options,
    });
  } catch (error) {
    const reason = LISTEN_ERRORS[(error as NodeJS.ErrnoException).code ?? ''];
    if (reason === undefined) throw error;
    throw new SetupError(`Port ${port} on ${host} ${reason}`, { cause: error });
  }
}

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use: stop what listens there, or set PORT to another (PORT=0 takes any free one).',
  EACCES: 'may not be listened on by this user: set PORT to one from 1024 up.',
  EADDRNOTAVAIL: 'is no address of this machine: set HOST to 127.0.0.1.',
};

/** Tenants that are handled in parallel. */
const AT_ONCE = 50;

/**
 * Finishes the pending cascade deletes of the platform and of all organizations, as long as the session has time. Only
 * for local installations: in AWS no session has access to several tenants.
 */
async function finishCascadeDeletes(session: RequestSession): Promise<void> {
  const platform = Tenant.ofPlatform(session);
  let tenants = [platform];
  for await (const { record } of organizationList(platform).all()) {
    if (tenants.push(Tenant.ofOperator(record.id, session)) < AT_ONCE) continue;
    await finish(tenants);
    tenants = [];
  }
  await finish(tenants);
}

const finish = (tenants: readonly Tenant[]) => Promise.all(tenants.map((tenant) => tenant.finishCascadeDeletes()));
