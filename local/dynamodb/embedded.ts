import { join, resolve } from 'node:path';
import { SetupError } from '../../shared/errors.ts';
import { ChildFailed, type RunningChild, startChild } from './child.ts';
import { chooseEngine } from './choose.ts';
import { LOCAL_AWS, newAccessKeyId, probe, withAccessKey } from './client.ts';
import {
  type FileSystemOf,
  forgetEndpoint,
  lockDirectory,
  makeDatabasesPrivate,
  readEndpoint,
  requireFreeSpace,
  writeEndpoint,
} from './data-directory.ts';
import { DATA_FILES, DirectoryInUse, type Engine, type EngineName, freePort, type Serving } from './engine.ts';

const READY_DEADLINE_MS = 30_000;
const PORT_ATTEMPTS = 5;

export interface EmbeddedDynamoDbOptions {
  /** Where the data lies, created where missing; ':memory:' keeps nothing. */
  readonly dataDir: string;
  /** Default: DynamoDB Local, and dynoxide on a machine without Java 17. */
  readonly engine?: EngineName;
  /** The access key that DynamoDB Local wants; dynoxide takes any. Default: a new one; in memory, that of LOCAL_AWS. */
  readonly accessKeyId?: string;
  /** Reads how much room a disk has. Default: that of `node:fs`. */
  readonly fileSystemOf?: FileSystemOf;
}

export interface EmbeddedDynamoDb {
  /**
   * `http://KEY@127.0.0.1:PORT`, without a key where it is that of LOCAL_AWS. Nothing listens on any address but
   * loopback.
   */
  readonly endpoint: string;
  readonly engine: EngineName;
  /** Resolves with the reason when its process ends by itself. Never resolves after `stop`. */
  readonly died: Promise<string>;
  /** Resolves when its process is gone and the data directory is free. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts an embedded DynamoDB, which responds when the promise resolves. It ends at the latest with this process, even
 * a killed one.
 * @throws SetupError when no engine can run here, or the data directory is damaged, in use or not writable,
 *   or its disk full.
 * @example const { endpoint, stop } = await startDynamoDb({ dataDir: ':memory:' });
 */
export const startDynamoDb = async (options: EmbeddedDynamoDbOptions): Promise<EmbeddedDynamoDb> => {
  const { dataDir } = options;
  const directory = dataDir === ':memory:' ? undefined : resolve(dataDir);
  if (directory === undefined) return startEngine(undefined, options);
  const unlock = lockDirectory(directory);
  try {
    // A killed engine may have left it.
    forgetEndpoint(directory);
    await requireFreeSpace(directory, options.fileSystemOf);
    const { stop: stopEngine, ...started } = await startEngine(directory, options);
    writeEndpoint(directory, started.endpoint);
    let stopping: Promise<void> | undefined;
    const stop = (): Promise<void> => {
      stopping ??= stopEngine().finally(() => {
        forgetEndpoint(directory);
        unlock();
      });
      return stopping;
    };
    return { ...started, stop };
  } catch (error) {
    unlock();
    throw error;
  }
};

async function startEngine(
  directory: string | undefined,
  {
    engine: asked,
    accessKeyId = directory ? newAccessKeyId() : LOCAL_AWS.credentials.accessKeyId,
  }: EmbeddedDynamoDbOptions,
): Promise<EmbeddedDynamoDb> {
  const engine = await chooseEngine(asked, directory);
  if (directory !== undefined) await makeDatabasesPrivate(directory, DATA_FILES[engine.name]);
  const host = engine.host();
  const child = await startOnFreePort(engine, { directory, host, accessKeyId });
  const endpoint = withAccessKey(`http://${host}:${child.port}`, accessKeyId);
  await opened(endpoint, child, engine, directory);
  const died = child.died.then((how) => [how, ...lastWordsOf(child, engine)].join(': '));
  return { endpoint, engine: engine.name, died, stop: child.stop };
}

/**
 * The DynamoDB of a data directory: the one that another process has started there, else a new one.
 * @throws SetupError as {@link startDynamoDb}, and when the other one has not come up yet
 */
export const openDynamoDb = async (dataDir: string): Promise<Pick<EmbeddedDynamoDb, 'endpoint' | 'stop'>> => {
  try {
    return await startDynamoDb({ dataDir });
  } catch (error) {
    if (!(error instanceof DirectoryInUse)) throw error;
    return { endpoint: readEndpoint(dataDir), stop: async () => undefined };
  }
};

const startOnFreePort = async (engine: Engine, serving: Omit<Serving, 'freePort'>): Promise<RunningChild> => {
  for (let attempt = 1; ; attempt++) {
    try {
      const command = engine.command({ ...serving, freePort: await freePort(serving.host) });
      return await startChild(command, engine.announcement, READY_DEADLINE_MS);
    } catch (error) {
      if (!(error instanceof ChildFailed)) throw error;
      if (engine.portTaken.test(error.output) && attempt < PORT_ATTEMPTS) continue;
      throw startFailure(engine, serving.directory, error.message, error.output);
    }
  }
};

/** DynamoDB Local opens its database with the first request, so it listens over a damaged one too. */
const opened = async (
  endpoint: string,
  child: RunningChild,
  engine: Engine,
  directory: string | undefined,
): Promise<void> => {
  try {
    await probe(endpoint);
  } catch (error) {
    await child.stop();
    throw startFailure(engine, directory, error instanceof Error ? error.message : String(error), child.output());
  }
};

const lastLineOf = (output: string): string => output.trim().split('\n').at(-1) ?? '';

/** The last output of an engine, where that is more than its announcement. */
const lastWordsOf = (child: RunningChild, { announcement }: Engine): string[] =>
  [lastLineOf(child.output())].filter((line) => line !== '' && !announcement.test(line));

const DAMAGED = /not a (valid SQLite )?database|malformed|unable to open database|corrupt/i;

const startFailure = (engine: Engine, directory: string | undefined, reason: string, output: string): SetupError => {
  const cause = new Error(`${reason}\n${output}`);
  if (directory !== undefined && DAMAGED.test(output)) {
    const file = join(directory, DATA_FILES[engine.name]);
    return new SetupError(
      `The database ${file} is damaged or cannot be opened: move it away to start with an empty one, or set ` +
        'DATA_DIR to another directory.',
      { cause },
    );
  }
  const lastWords = lastLineOf(output);
  return new SetupError(`The embedded DynamoDB (${engine.name}) did not start: ${reason}. ${lastWords}`.trim(), {
    cause,
  });
};

/** Called when the state of a supervised DynamoDB changes. */
interface Supervisor {
  /** Its process ended by itself for this reason, and is being restarted. */
  onDeath(how: string): void;
  /** It was restarted and responds at this address. */
  onRestart(endpoint: string): Promise<void>;
  /** It cannot be restarted, for this reason. */
  onGivenUp(error: unknown): void;
}

/** An engine that ends this often within a minute is not restarted. */
const DEATHS = 4;
const MINUTE_MS = 60_000;

/**
 * Starts an embedded DynamoDB and, whenever its process ends by itself, starts it again over the same data.
 * @returns the one that was started first
 * @throws SetupError as {@link startDynamoDb}
 */
export async function superviseDynamoDb(
  options: EmbeddedDynamoDbOptions,
  supervisor: Supervisor,
): Promise<Omit<EmbeddedDynamoDb, 'died'>> {
  const accessKeyId = newAccessKeyId();
  const first = await startDynamoDb({ ...options, accessKeyId });
  const { endpoint, engine } = first;
  let current = first;
  let restarting = Promise.resolve();
  let isStopping = false;
  const deaths: number[] = [];

  const restart = async (how: string): Promise<void> => {
    deaths.push(performance.now());
    const [earliest = 0, latest = 0] = [deaths.at(-DEATHS), deaths.at(-1)];
    if (deaths.length >= DEATHS && latest - earliest < MINUTE_MS) {
      throw new SetupError(`The embedded DynamoDB has died ${DEATHS} times within a minute (${how}).`);
    }
    supervisor.onDeath(how);
    await current.stop();
    current = await startDynamoDb({ ...options, accessKeyId, engine });
    if (!isStopping) await supervisor.onRestart(current.endpoint);
  };
  const watch = async (): Promise<void> => {
    while (!isStopping) {
      const how = await current.died;
      if (isStopping) return;
      restarting = restart(how);
      await restarting;
    }
  };
  watch().catch((error: unknown) => supervisor.onGivenUp(error));

  const stop = async (): Promise<void> => {
    isStopping = true;
    await restarting.catch(() => undefined);
    await current.stop();
  };
  return { endpoint, engine, stop };
}
