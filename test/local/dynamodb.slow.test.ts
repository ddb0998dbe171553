import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, readdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  GetItemCommand,
  PutItemCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { localDynamoDbClient } from '../../local/dynamodb/client.ts';
import { findDynoxide } from '../../local/dynamodb/dynoxide.ts';
import { type EmbeddedDynamoDb, startDynamoDb } from '../../local/dynamodb/embedded.ts';
import { DATA_FILES } from '../../local/dynamodb/engine.ts';
import { findDynamoDbLocal } from '../../local/dynamodb/java.ts';
import { superviseDynamoDb } from '../../local/dynamodb/supervise.ts';
import { createTable } from '../../local/dynamodb/table.ts';
import { TTL_ATTRIBUTE } from '../../shared/table/schema.ts';
import { freshDirectory } from '../support/directory.ts';
import { PATIENCE } from '../support/patience.ts';
import { canListProcesses, descendants, isRunning } from '../support/processes.ts';

const TABLE = 'custodia';
const key = { PK: { S: 'ORG#a#CLIENT' }, SK: { S: '1' } };
const item = { ...key, name: { S: 'Ada' } };

const engines = [
  { engine: 'java', found: await findDynamoDbLocal() },
  { engine: 'dynoxide', found: await findDynoxide() },
] as const;

for (const { engine, found } of engines) {
  const missing = 'missing' in found ? found.missing : undefined;
  describe.skipIf(missing !== undefined)(`${engine}${missing ? ` (skipped: ${missing})` : ''}`, () => {
    const running: EmbeddedDynamoDb[] = [];
    const start = async (dataDir: string) => {
      const dynamoDb = await startDynamoDb({ dataDir, engine });
      running.push(dynamoDb);
      return { ...dynamoDb, client: localDynamoDbClient(dynamoDb.endpoint) };
    };
    afterEach(() => Promise.all(running.splice(0).map((dynamoDb) => dynamoDb.stop())));

    it('keeps an item, and refuses a transaction whose condition fails, in a table of the schema with its expiry and no index', async () => {
      const { client, ...dynamoDb } = await start(':memory:');
      await createTable(client, TABLE);
      await createTable(client, TABLE);
      const { Table } = await client.send(new DescribeTableCommand({ TableName: TABLE }));
      expect(Table?.TableStatus).toBe('ACTIVE');
      expect(Table?.GlobalSecondaryIndexes).toBeUndefined();
      const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: TABLE }));
      expect(TimeToLiveDescription).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: TTL_ATTRIBUTE });

      await client.send(new PutItemCommand({ TableName: TABLE, Item: item }));
      expect((await client.send(new GetItemCommand({ TableName: TABLE, Key: key }))).Item).toEqual(item);

      const refused = { TableName: TABLE, Item: item, ConditionExpression: 'attribute_not_exists(PK)' };
      const other = { TableName: TABLE, Item: { ...item, SK: { S: '2' } } };
      const failure = await client
        .send(new TransactWriteItemsCommand({ TransactItems: [{ Put: other }, { Put: refused }] }))
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(TransactionCanceledException);
      expect((failure as TransactionCanceledException).CancellationReasons?.map(({ Code }) => Code)).toEqual([
        'None',
        'ConditionalCheckFailed',
      ]);
      expect(dynamoDb.engine).toBe(engine);
    });

    it('finds its data again after a restart, and says until it stops that the directory is in use', async () => {
      const dataDir = await freshDirectory();
      const first = await start(dataDir);
      await expect(startDynamoDb({ dataDir, engine })).rejects.toThrow(/in use by another running instance/);
      await createTable(first.client, TABLE);
      await first.client.send(new PutItemCommand({ TableName: TABLE, Item: item }));
      await first.stop();

      const second = await start(dataDir);
      expect((await second.client.send(new GetItemCommand({ TableName: TABLE, Key: key }))).Item).toEqual(item);
    });

    it('says that a damaged database is one', async () => {
      const dataDir = await freshDirectory();
      await writeFile(join(dataDir, DATA_FILES[engine]), 'not a database, whatever its name '.repeat(300));
      await expect(startDynamoDb({ dataDir, engine })).rejects.toThrow(
        /^The database .* is damaged or cannot be opened: move it away/,
      );
    });

    it('says that the data directory cannot be written to', async () => {
      const file = join(await freshDirectory(), 'file');
      await writeFile(file, '');
      await expect(startDynamoDb({ dataDir: join(file, 'data'), engine })).rejects.toThrow(/cannot be written to/);
    });

    it.each([
      ['the directory', '', 0o500],
      ['the database', DATA_FILES[engine], 0o400],
    ])('says that data cannot be written to which is there: %s is read-only', async (_, name, mode) => {
      const dataDir = await freshDirectory();
      const files = [DATA_FILES[engine], 'dynamodb.lock'].map((file) => join(dataDir, file));
      await Promise.all(files.map((file) => writeFile(file, '')));
      await chmod(join(dataDir, name), mode);
      const failure = await asNobody([dataDir, ...files], () => startDynamoDb({ dataDir, engine })).catch(String);
      expect(failure).toMatch(
        /^EmbeddedDynamoDbError: The data directory \S+ cannot be written to \([^()]+\): make it writable, or set DATA_DIR to another directory\.$/,
      );
    });

    it('refuses a disk that is nearly full before anything is started, and lets the directory go', async () => {
      const dataDir = await freshDirectory();
      const full = { dataDir, engine, fileSystemOf: async () => ({ bavail: 1_000, bsize: 4_096 }) };
      await expect(startDynamoDb(full)).rejects.toThrow(
        /^Only 4 MB are free on the disk of the data directory .*: free at least 200 MB, or set DATA_DIR to another directory\.$/,
      );
      expect(await readdir(dataDir)).not.toContain(DATA_FILES[engine]);
      await start(dataDir);
    });

    it('listens on the loopback address only', async ({ skip }) => {
      const outside = Object.values(networkInterfaces())
        .flatMap((addresses) => addresses ?? [])
        .find(({ internal, family }) => !internal && family === 'IPv4');
      if (outside === undefined) return skip('this machine has no address but loopback');
      const { endpoint } = await start(':memory:');
      const socket = connect(Number(new URL(endpoint).port), outside.address);
      const [error] = await once(socket, 'error');
      expect(error).toHaveProperty('code', 'ECONNREFUSED');
    });

    describe.skipIf(!canListProcesses)('its processes', () => {
      it('are gone after stop', async () => {
        const before = descendants(process.pid);
        const { stop } = await start(':memory:');
        const own = descendants(process.pid).filter((pid) => !before.includes(pid));
        expect(own.length).toBeGreaterThan(0);
        await stop();
        expect(own.filter(isRunning)).toEqual([]);
      });

      it('are started again when one is killed, over the same data; those that were left of it are gone', async () => {
        const before = descendants(process.pid);
        const own = () => descendants(process.pid).filter((pid) => !before.includes(pid));
        const supervisor = supervisorOf();
        const dynamoDb = await superviseDynamoDb({ dataDir: await freshDirectory(), engine }, supervisor);
        onTestFinished(dynamoDb.stop);
        const client = localDynamoDbClient(dynamoDb.endpoint);
        await createTable(client, TABLE);
        await client.send(new PutItemCommand({ TableName: TABLE, Item: item }));

        const [killed = Number.NaN, ...others] = own();
        process.kill(killed, 'SIGKILL');
        const endpoint = await supervisor.restarted;
        expect(supervisor.deaths).toEqual([expect.stringMatching(/^SIGKILL\b/)]);
        expect([killed, ...others].filter(isRunning)).toEqual([]);
        const again = localDynamoDbClient(endpoint);
        expect((await again.send(new GetItemCommand({ TableName: TABLE, Key: key }))).Item).toEqual(item);

        await dynamoDb.stop();
        expect(own()).toEqual([]);
        expect(supervisor.deaths).toHaveLength(1);
      });

      it.each(['SIGKILL', 'SIGINT'] as const)('go with their owner on %s, and the data stays', async (signal) => {
        const dataDir = await freshDirectory();
        const owner = await startOwner(engine, dataDir);
        const client = localDynamoDbClient(owner.endpoint);
        await createTable(client, TABLE);
        await client.send(new PutItemCommand({ TableName: TABLE, Item: item }));
        await expect(startDynamoDb({ dataDir, engine })).rejects.toThrow(/in use/);
        const own = descendants(owner.pid);
        expect(own.length).toBeGreaterThan(0);

        await owner.kill(signal);
        await vi.waitFor(() => expect(own.filter(isRunning)).toEqual([]), PATIENCE);
        const next = await start(dataDir);
        expect((await next.client.send(new GetItemCommand({ TableName: TABLE, Key: key }))).Item).toEqual(item);
      });
    });
  });
}

/** Does something as a user to whom modes apply, which they do not to root. These paths are then that user's. */
async function asNobody<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  for (const path of paths) await chown(path, NOBODY, NOBODY);
  process.seteuid?.(NOBODY);
  return work().finally(() => process.seteuid?.(0));
}

const NOBODY = 65_534;

describe.skipIf(!canListProcesses)('one that does not live', () => {
  it('is given up when it dies again and again', async () => {
    // Within a minute, however long it takes to start.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const before = descendants(process.pid);
    const supervisor = supervisorOf(() => {
      for (const pid of descendants(process.pid).filter((pid) => !before.includes(pid))) process.kill(pid, 'SIGKILL');
    });
    const dynamoDb = await superviseDynamoDb({ dataDir: ':memory:' }, supervisor);
    onTestFinished(dynamoDb.stop);
    await supervisor.onRestart(dynamoDb.endpoint);
    expect(await supervisor.givenUp).toMatchObject({
      name: 'EmbeddedDynamoDbError',
      message: 'The embedded DynamoDB has died 4 times within a minute (SIGKILL).',
    });
    expect(supervisor.deaths).toHaveLength(3);
  });
});

/** Keeps what it is told; `onRestart` is done, too, at each restart. */
function supervisorOf(also: () => void = () => undefined) {
  const restart = Promise.withResolvers<string>();
  const end = Promise.withResolvers<unknown>();
  const deaths: string[] = [];
  return {
    deaths,
    restarted: restart.promise,
    givenUp: end.promise,
    onDeath: (how: string) => void deaths.push(how),
    onRestart: async (endpoint: string) => {
      also();
      restart.resolve(endpoint);
    },
    onGivenUp: end.resolve,
  };
}

/** A process of its own that runs an engine. A signal goes to its whole group, as a terminal's Ctrl-C does. */
const startOwner = async (engine: string, dataDir: string) => {
  const script = join(import.meta.dirname, '../fixtures/dynamodb-owner.ts');
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const owner = spawn(process.execPath, [script, engine, dataDir], { detached: true, stdio: [...stdio] });
  const pid = owner.pid ?? Number.NaN;
  const [endpoint] = await once(createInterface(owner.stdout), 'line');
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    const exited = once(owner, 'exit');
    process.kill(-pid, signal);
    await exited;
  };
  return { pid, endpoint: String(endpoint), kill };
};

describe('the launcher class', () => {
  it('is what its source compiles to', async ({ skip }) => {
    const launcher = join(import.meta.dirname, '../../local/dynamodb/launcher');
    const { found } = engines[0];
    if ('missing' in found) return skip(found.missing);
    if (!javacVersion()?.startsWith('javac 17.')) return skip('no javac 17 here, the one that made it');
    const jar =
      found
        .command({ directory: undefined, host: found.host(), freePort: 0, accessKeyId: '' })
        .args.find((arg) => arg.includes('DynamoDBLocal.jar')) ?? '';
    const libraries = jar.replace(/.*?:(.*)DynamoDBLocal\.jar$/, '$1DynamoDBLocal.jar:$1DynamoDBLocal_lib/*');
    const output = await freshDirectory();
    const source = join(launcher, 'LoopbackDynamoDb.java');
    execFileSync('javac', ['--release', '17', '-g:none', '-cp', libraries, '-d', output, source]);
    const fresh = await readFile(join(output, 'LoopbackDynamoDb.class'));
    expect(fresh.equals(await readFile(join(launcher, 'LoopbackDynamoDb.class')))).toBe(true);
  });
});

const javacVersion = (): string | undefined => {
  try {
    return execFileSync('javac', ['-version'], { encoding: 'utf8' });
  } catch {
    return undefined;
  }
};
