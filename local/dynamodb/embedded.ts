import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { ChildFailed, type RunningChild, startChild } from './child.ts';
import { chooseEngine } from './choose.ts';
import { type FileSystemOf, requireFreeSpace } from './disk-space.ts';
import { DATA_FILES, type Engine, type EngineName } from './engine.ts';
import { DirectoryInUse, EmbeddedDynamoDbError } from './errors.ts';
import { lockDirectory } from './lock.ts';
import { probe } from './probe.ts';

export type { EngineName } from './engine.ts';
export { EmbeddedDynamoDbError } from './errors.ts';

const READY_DEADLINE_MS = 30_000;
const PORT_ATTEMPTS = 5;

export interface EmbeddedDynamoDbOptions {
  /** Where the data lies, created where missing; ':memory:' keeps nothing. */
  readonly dataDir: string;
  /** Default: DynamoDB Local, and dynoxide on a machine without Java 17. */
  readonly engine?: EngineName;
  /** Tells how much room a disk has. Default: the one of `node:fs`. */
  readonly fileSystemOf?: FileSystemOf;
}

export interface EmbeddedDynamoDb {
  /** `http://127.0.0.1:PORT`; nothing listens on any other address. */
  readonly endpoint: string;
  readonly engine: EngineName;
  /** Resolves when its process has ended by itself, with how, in words. Never after `stop`. */
  readonly died: Promise<string>;
  /** Resolves when its process is gone and the data directory is free. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts a DynamoDB of our own that answers when the promise resolves and ends at the latest with this process, even a killed one.
 * @throws EmbeddedDynamoDbError when no engine can run here, or the data directory is damaged, in use or not writable, or its disk full.
 */
export const startDynamoDb = async ({
  dataDir,
  engine: asked,
  fileSystemOf,
}: EmbeddedDynamoDbOptions): Promise<EmbeddedDynamoDb> => {
  const directory = dataDir === ':memory:' ? undefined : resolve(dataDir);
  const unlock = directory === undefined ? () => undefined : lockDirectory(directory);
  // One that was killed may have left it.
  forgetEndpoint(directory);
  try {
    if (directory !== undefined) await requireFreeSpace(directory, fileSystemOf);
    const engine = await chooseEngine(asked, directory);
    const child = await startOnFreePort(engine, directory);
    const endpoint = `http://127.0.0.1:${child.port}`;
    await opened(endpoint, child, engine, directory);
    if (directory !== undefined) writeFileSync(join(directory, ENDPOINT_FILE), endpoint);
    let stopping: Promise<void> | undefined;
    const stop = (): Promise<void> => {
      stopping ??= child.stop().finally(() => {
        forgetEndpoint(directory);
        unlock();
      });
      return stopping;
    };
    const died = child.died.then((how) => [how, ...lastWordsOf(child, engine)].join(': '));
    return { endpoint, engine: engine.name, died, stop };
  } catch (error) {
    unlock();
    throw error;
  }
};

/** In the data directory: where its DynamoDB answers while one runs. */
const ENDPOINT_FILE = 'dynamodb.endpoint';

const forgetEndpoint = (directory: string | undefined): void => {
  if (directory !== undefined) rmSync(join(directory, ENDPOINT_FILE), { force: true });
};

/**
 * The DynamoDB over a data directory: the one that another process has started there, else one of our own.
 * @throws EmbeddedDynamoDbError as {@link startDynamoDb}, and when the other one has not come up yet
 */
export const openDynamoDb = async (dataDir: string): Promise<Pick<EmbeddedDynamoDb, 'endpoint' | 'stop'>> => {
  try {
    return await startDynamoDb({ dataDir });
  } catch (error) {
    if (!(error instanceof DirectoryInUse)) throw error;
    return { endpoint: endpointIn(dataDir), stop: async () => undefined };
  }
};

function endpointIn(dataDir: string): string {
  try {
    return readFileSync(join(dataDir, ENDPOINT_FILE), 'utf8');
  } catch (cause) {
    throw new EmbeddedDynamoDbError(
      `Another instance is just starting or stopping in the data directory ${resolve(dataDir)}: try again in a moment.`,
      { cause },
    );
  }
}

const startOnFreePort = async (engine: Engine, directory: string | undefined): Promise<RunningChild> => {
  for (let attempt = 1; ; attempt++) {
    try {
      const command = engine.command(directory, await freePort());
      return await startChild(command, engine.announcement, READY_DEADLINE_MS);
    } catch (error) {
      if (!(error instanceof ChildFailed)) throw error;
      if (engine.portTaken.test(error.output) && attempt < PORT_ATTEMPTS) continue;
      throw startFailure(engine, directory, error.message, error.output);
    }
  }
};

/** A port free just now; another process may take it before the engine does. */
const freePort = (): Promise<number> =>
  new Promise((resolvePort, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolvePort(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

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

/** What an engine printed last, where that is more than its announcement. */
const lastWordsOf = (child: RunningChild, { announcement }: Engine): string[] =>
  [lastLineOf(child.output())].filter((line) => line !== '' && !announcement.test(line));

const DAMAGED = /not a (valid SQLite )?database|malformed|unable to open database|corrupt/i;

const startFailure = (
  engine: Engine,
  directory: string | undefined,
  reason: string,
  output: string,
): EmbeddedDynamoDbError => {
  const cause = new Error(`${reason}\n${output}`);
  if (directory !== undefined && DAMAGED.test(output)) {
    const file = join(directory, DATA_FILES[engine.name]);
    return new EmbeddedDynamoDbError(
      `The database ${file} is damaged or cannot be opened: move it away to start with an empty one, or set DATA_DIR to another directory.`,
      { cause },
    );
  }
  const lastWords = lastLineOf(output);
  return new EmbeddedDynamoDbError(
    `The embedded DynamoDB (${engine.name}) did not start: ${reason}. ${lastWords}`.trim(),
    {
      cause,
    },
  );
};
