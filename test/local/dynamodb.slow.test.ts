import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { schema } from '@custodia/counted-lists';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createTable, localConnection, startDynamoDb, superviseDynamoDb } from '#local-dynamodb';
import { findEngine } from '../../local/dynamodb/choose.ts';
import { DATA_FILES } from '../../local/dynamodb/engine.ts';
import { freshDirectory } from '../support/directory.ts';
import { PATIENCE } from '../support/patience.ts';
import { canListProcesses, descendants, isRunning } from '../support/processes.ts';

const TABLE = 'custodia';
const key = { PK: { S: 'ORG#a#CLIENT' }, SK: { S: '1' } };
const item = { ...key, name: { S: 'Ada' } };

const engines = [
  { engine: 'java', found: await findEngine('java') },
  { engine: 'dynoxide', found: await findEngine('dynoxide') },
] as const;

async function keepItem(endpoint: string): Promise<DynamoDBClient> {
  const client = new DynamoDBClient(localConnection(endpoint));
  await createTable(endpoint, TABLE);
  await client.send(new PutItemCommand({ TableName: TABLE, Item: item }));
  return client;
}

const itemAt = async (endpoint: string): Promise<unknown> =>
  (await new DynamoDBClient(localConnection(endpoint)).send(new GetItemCommand({ TableName: TABLE, Key: key }))).Item;

/** The processes that this one starts from now on. */
function startedFromNow(): () => number[] {
  const before = canListProcesses ? descendants(process.pid) : [];
  return () => (canListProcesses ? descendants(process.pid).filter((pid) => !before.includes(pid)) : []);
}

for (const { engine, found } of engines) {
  const missing = 'missing' in found ? found.missing : undefined;
  describe.skipIf(missing !== undefined)(`${engine}${missing ? ` (skipped: ${missing})` : ''}`, () => {
    it('has a table of the schema with its expiry and no index, refuses a transaction whose condition fails, and is gone after stop', async () => {
      const own = startedFromNow();
      const { endpoint, engine: started, stop } = await startDynamoDb({ dataDir: ':memory:', engine });
      onTestFinished(stop);
      const client = await keepItem(endpoint);
      await createTable(endpoint, TABLE);
      const { Table } = await client.send(new DescribeTableCommand({ TableName: TABLE }));
      expect([Table?.TableStatus, Table?.GlobalSecondaryIndexes]).toEqual(['ACTIVE', undefined]);
      const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: TABLE }));
      expect(TimeToLiveDescription).toEqual({ TimeToLiveStatus: 'ENABLED', AttributeName: schema.TTL });
      const other = { TableName: TABLE, Item: { ...item, SK: { S: '2' } } };
      const refused = { TableName: TABLE, Item: item, ConditionExpression: 'attribute_not_exists(PK)' };
      await expect(
        client.send(new TransactWriteItemsCommand({ TransactItems: [{ Put: other }, { Put: refused }] })),
      ).rejects.toMatchObject({ CancellationReasons: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }] });

      expect(await fromOutside(endpoint)).toBe('ECONNREFUSED');
      const pids = own();
      expect([started, pids.length > 0]).toEqual([engine, canListProcesses]);
      await stop();
      expect(pids.filter(isRunning)).toEqual([]);
    });

    it.skipIf(!canListProcesses)(
      'keeps the data of a directory that is its owner’s only, when it is killed, started again, and left by an older release',
      async () => {
        const own = startedFromNow();
        const dataDir = await freshDirectory();
        const full = { dataDir, engine, fileSystemOf: async () => ({ bavail: 1_000, bsize: 4_096 }) };
        await expect(startDynamoDb(full)).rejects.toThrow(
          /^Only 4 MB are free on the disk of the data directory .*: free at least 200 MB, or set DATA_DIR to another directory\.$/,
        );
        expect(await readdir(dataDir)).not.toContain(DATA_FILES[engine]);

        const supervisor = supervisorOf();
        const first = await superviseDynamoDb({ dataDir, engine }, supervisor);
        onTestFinished(first.stop);
        await expect(startDynamoDb({ dataDir, engine })).rejects.toThrow(/in use by another running instance/);
        await keepItem(first.endpoint);
        expect(await modesIn(dataDir)).toEqual(['600']);
        expect(await readFile(join(dataDir, 'dynamodb.endpoint'), 'utf8')).toBe(first.endpoint);

        const killed = own();
        process.kill(killed[0] ?? Number.NaN, 'SIGKILL');
        expect(await itemAt(await supervisor.restarted)).toEqual(item);
        expect(supervisor.deaths).toEqual([expect.stringMatching(/^SIGKILL\b/)]);
        expect(killed.filter(isRunning)).toEqual([]);
        await first.stop();
        expect([own(), supervisor.deaths.length]).toEqual([[], 1]);

        for (const name of await readdir(dataDir)) await chmod(join(dataDir, name), 0o644);
        const second = await startDynamoDb({ dataDir, engine });
        onTestFinished(second.stop);
        expect(await modesIn(dataDir)).toEqual(['600']);
        const keys = [first, second].map(({ endpoint }) => localConnection(endpoint).credentials.accessKeyId);
        expect(keys).toEqual(Array(2).fill(expect.stringMatching(/^[\da-f]{32}$/)));
        expect(new Set(keys).size).toBe(2);
        expect(await itemAt(second.endpoint)).toEqual(item);
      },
    );

    it.skipIf(!canListProcesses)('goes with its owner on SIGKILL, and the data stays', async () => {
      const dataDir = await freshDirectory();
      const owner = await startOwner(engine, dataDir);
      await keepItem(owner.endpoint);
      const own = descendants(owner.pid);
      expect(own.length).toBeGreaterThan(0);
      await owner.kill();
      await vi.waitFor(() => expect(own.filter(isRunning)).toEqual([]), PATIENCE);
      const next = await startDynamoDb({ dataDir, engine });
      onTestFinished(next.stop);
      expect(await itemAt(next.endpoint)).toEqual(item);
    });

    const unwritable =
      /^The data directory \S+ cannot be written to \([^()]+\): make it writable, or set DATA_DIR to another directory\.$/;
    const damaged = /^The database .* is damaged or cannot be opened: move it away/;

    it.each<[string, RegExp, string, ((database: string, directory: string) => Promise<void>)?]>([
      ['a file where the directory should be', unwritable, 'dynamodb.lock/data'],
      ['a read-only directory', unwritable, '', (_, directory) => chmod(directory, 0o500)],
      ['a read-only database', unwritable, '', (database) => chmod(database, 0o400)],
      ['a damaged database', damaged, '', (database) => writeFile(database, 'not a database, whatever '.repeat(300))],
    ])('says in one sentence what is wrong: %s', async (_, sentence, below, spoil) => {
      const directory = await freshDirectory();
      const files = [DATA_FILES[engine], 'dynamodb.lock'].map((file) => join(directory, file));
      await Promise.all(files.map((file) => writeFile(file, '')));
      await spoil?.(files[0] ?? '', directory);
      const failing = () => startDynamoDb({ dataDir: join(directory, below), engine });
      await expect(sentence === damaged ? failing() : asNobody([directory, ...files], failing)).rejects.toThrow(
        sentence,
      );
    });
  });
}

const modesIn = async (directory: string): Promise<string[]> => {
  const stats = await Promise.all((await readdir(directory)).map((name) => stat(join(directory, name))));
  return [...new Set(stats.map(({ mode }) => (mode & 0o777).toString(8)))];
};

/** The error of a connection to the port from an address that is not loopback, where this machine has one. */
async function fromOutside(endpoint: string): Promise<unknown> {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const outside = addresses.find(({ internal, family }) => !internal && family === 'IPv4');
  if (outside === undefined) return 'ECONNREFUSED';
  const [error] = await once(connect(Number(new URL(endpoint).port), outside.address), 'error');
  return error.code;
}

/** Does something as a user to whom modes apply, which they do not to root. These paths are then that user's. */
async function asNobody<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  const NOBODY = 65_534;
  for (const path of paths) await chown(path, NOBODY, NOBODY);
  process.seteuid?.(NOBODY);
  return work().finally(() => process.seteuid?.(0));
}

it.skipIf(!canListProcesses)('one that does not live is given up when it dies again and again', async () => {
  // Within a minute, however long it takes to start.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const own = startedFromNow();
  const supervisor = supervisorOf(() => {
    for (const pid of own()) process.kill(pid, 'SIGKILL');
  });
  const engine = engines.findLast(({ found }) => !('missing' in found))?.engine ?? 'java';
  const dynamoDb = await superviseDynamoDb({ dataDir: ':memory:', engine }, supervisor);
  onTestFinished(dynamoDb.stop);
  await supervisor.onRestart(dynamoDb.endpoint);
  expect(await supervisor.givenUp).toMatchObject({
    name: 'SetupError',
    message: 'The embedded DynamoDB has died 4 times within a minute (SIGKILL).',
  });
  expect(supervisor.deaths).toHaveLength(3);
});

/** Records the calls; also runs `onRestart` at each restart. */
function supervisorOf(also: () => void = () => undefined) {
  const restart = Promise.withResolvers<string>();
  const end = Promise.withResolvers<unknown>();
  const deaths: string[] = [];
  const onRestart = async (endpoint: string) => {
    also();
    restart.resolve(endpoint);
  };
  const onDeath = (how: string) => void deaths.push(how);
  return { deaths, restarted: restart.promise, givenUp: end.promise, onDeath, onRestart, onGivenUp: end.resolve };
}

/** A process of its own that runs an engine. */
async function startOwner(engine: string, dataDir: string) {
  const script = join(import.meta.dirname, '../fixtures/dynamodb-owner.ts');
  const owner = spawn(process.execPath, [script, engine, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [endpoint] = await once(createInterface(owner.stdout), 'line');
  const kill = async (): Promise<void> => {
    const exited = once(owner, 'exit');
    owner.kill('SIGKILL');
    await exited;
  };
  return { pid: owner.pid ?? Number.NaN, endpoint: String(endpoint), kill };
}
