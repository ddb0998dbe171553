import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, utimesSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { BatchWriteCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { endpointAndKey } from '../../local/dynamodb/client.ts';
import { setFunctionEnvironment } from '../../local/environment.ts';
import { LOCAL_TABLE, readSettings } from '../../local/settings.ts';
import { sortKeyOf } from '../../shared/table/lists/ids.ts';
import { freshDirectory } from '../support/directory.ts';
import { listening } from '../support/listening.ts';
import { runOperator } from '../support/operator.ts';
import { PATIENCE } from '../support/patience.ts';
import { canListProcesses, isRunning } from '../support/processes.ts';
import { tableAt } from '../support/storage.ts';
import { childrenOf, linesToPaste, paste, type Started, start, startWithNpm } from './start-fixture.ts';

describe('npm start', () => {
  it('says how soon it is ready and three lines that work when pasted, and leaves nothing behind on Ctrl-C', async () => {
    const TMPDIR = await freshDirectory();
    const started = start({ TMPDIR });
    const url = await started.ready();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    // A first key, asked for by a page whose name was made to lead here.
    const page = `-H 'Host: evil.example' -H 'Content-Type: application/json' -d '{"app_code":"evil","display_name":"E"}'`;
    expect(await paste([`curl -s -o /dev/null -w '%{http_code}' ${url}/api/v1/integrations ${page}`])).toBe('403');
    expect(started.output()).toMatch(/ready at \S+ \(in [\d.]+ s\)/);
    expect(started.output()).toMatch(/platform app code {2}platform\n\s+platform secret {4}\S{32,}\n/);

    const lines = linesToPaste(started);
    expect(lines).toHaveLength(3);
    expect(await paste(lines.slice(0, 2))).toContain('"name":"Acme"');
    const list = JSON.parse(await paste([...lines.slice(0, 1), ...lines.slice(2)]));
    expect(list.data.map(({ name }: { name: string }) => name)).toContain('Acme');
    await expectNothingLeft(started, { on: 'SIGINT', code: 130, TMPDIR });
  });

  it.skipIf(!canListProcesses)('leaves nothing behind when it is stopped before it is ready', async () => {
    const started = start();
    const children = await vi.waitUntil(() => childrenOf(started).length > 0 && childrenOf(started), {
      timeout: PATIENCE,
    });
    await started.signal('SIGINT');
    await vi.waitUntil(() => !children.some(isRunning), { timeout: PATIENCE });
  });

  it.skipIf(!canListProcesses).each([
    ['start', 'SIGTERM'],
    ['start', 'SIGHUP'],
    ['start', 'SIGKILL'],
    ['run dev', 'SIGKILL'],
  ] as const)('leaves nothing behind when npm %s alone gets a %s', async (script, signal) => {
    const started = startWithNpm(...script.split(' '));
    await started.ready();
    const children = childrenOf(started);
    expect(children.length).toBeGreaterThanOrEqual(2);
    process.kill(started.pid, signal);
    await vi.waitUntil(() => !children.some(isRunning), { timeout: PATIENCE });
  });

  it.skipIf(!canListProcesses)('says how many requests it dropped at its end, which is then no success', async () => {
    const started = start();
    const url = await started.ready();
    const [engine = Number.NaN] = childrenOf(started);
    process.kill(engine, 'SIGSTOP');
    const headers = { 'content-type': 'application/json' };
    const login = { method: 'POST', headers, body: JSON.stringify({ app_code: 'platform', secret: 'x'.repeat(32) }) };
    const dropped = expect(fetch(`${url}/api/v1/auth/login`, login)).rejects.toThrow('fetch failed');
    // They come after it and need no DynamoDB.
    for (const _ of Array(2)) expect((await fetch(`${url}/nowhere`)).status).toBe(404);
    expect(await started.signal('SIGTERM')).toBe(1);
    await dropped;
    expect(started.output()).toMatch(/\nRequests that arrived and got no response: 1\.\n$/);
    expect(isRunning(engine)).toBe(false);
  });

  it('finds its data, its keys and its platform secret again; the operator verifies them while it runs, and between', async () => {
    const DATA_DIR = join(await freshDirectory(), 'data');
    const first = start({ DATA_DIR });
    await first.ready();
    const [login = '', create = ''] = linesToPaste(first);
    const token = (await paste([login, create.replace(/.*/, 'echo $TOKEN')])).trim();
    const { id } = JSON.parse(await paste([login, create]));
    const verify = () => runOperator(['verify', '--local', '--org', id], { DATA_DIR }, { alone: true });
    const sound = {
      code: 0,
      stdout: expect.stringMatching(/^Records looked at: [1-9]\d*\. Differences: 0\. Repaired: 0\.\n$/),
      stderr: '',
    };
    expect(await verify()).toEqual(sound);
    await first.signal('SIGTERM');
    expect(await verify()).toEqual(sound);

    // The operator left the directory to the next.
    const second = start({ DATA_DIR });
    const url = await second.ready();
    const response = await fetch(`${url}/api/v1/orgs`, { headers: { authorization: `Bearer ${token}` } });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"name":"Acme"')]);
    expect(secretIn(second.output())).toBe(secretIn(first.output()));
  });

  it('finishes what unfinished deletions have left, of every organization', async () => {
    const DATA_DIR = await freshDirectory();
    const first = start({ DATA_DIR });
    await first.ready();
    const [login = '', create = ''] = linesToPaste(first);
    const { id } = JSON.parse(await paste([login, create]));
    // A ticket with more messages than one round deletes was deleted, and the machine stopped before all of them were.
    const messages = `ORG#${id}#TICKET#${randomUUID()}#MESSAGE`;
    const cascadeDeletes = `ORG#${id}#CASCADE_DELETE`;
    await putAll(DATA_DIR, [
      ...Array.from({ length: 300 }, (_, n) => ({ PK: messages, SK: sortKeyOf(n), message: 'left' })),
      { PK: `${messages}#SET`, SK: 'HEAD', NEXT: 300 },
      { PK: cascadeDeletes, SK: messages },
    ]);
    expect(await countOf(DATA_DIR, messages)).toBe(300);
    await first.signal('SIGKILL');

    const second = start({ DATA_DIR });
    await second.ready();
    const left = [messages, `${messages}#SET`, cascadeDeletes].map((partition) => countOf(DATA_DIR, partition));
    expect(await Promise.all(left)).toEqual([0, 0, 0]);
    expect(await countOf(DATA_DIR, `ORG#${id}#ORG`)).toBe(1);
  });

  it('keeps nothing in memory that the operator could verify but by its address, which it prints, and leaves nothing behind', async () => {
    const TMPDIR = await freshDirectory();
    const started = start({ TMPDIR });
    await started.ready();
    const DYNAMODB_ENDPOINT = /data .* at (http:\S+)\)/.exec(started.output())?.[1];
    const verify = (variables: Record<string, string | undefined>) =>
      runOperator(['verify', '--local', '--org', 'platform'], variables, { alone: true });
    expect(await verify({ DYNAMODB_ENDPOINT })).toMatchObject({ code: 0, stderr: '' });
    expect(await verify({ DATA_DIR: ':memory:', DYNAMODB_ENDPOINT: '' })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/set DYNAMODB_ENDPOINT to the one that npm start prints\.\n$/),
    });
    const missing = await verify({ DATA_DIR: join(await freshDirectory(), 'none'), DYNAMODB_ENDPOINT: '' });
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringMatching(/^There is no data directory .*\.\n$/)]);
    await expectNothingLeft(started, { on: 'SIGTERM', code: 0, TMPDIR });
  });

  it('takes the platform secret from its variable, and keeps it to itself', async () => {
    const PLATFORM_SECRET = `a'b"c$d\\e-${randomBytes(16).toString('hex')}`;
    const started = start({ PLATFORM_SECRET });
    await started.ready();
    expect(secretIn(started.output())).toBe('as given in PLATFORM_SECRET');
    expect(started.output()).not.toContain('x'.repeat(8));
    expect(await paste(linesToPaste(started), { PLATFORM_SECRET })).toContain('"name":"Acme"');
  });

  it('prints a line of each request, and keeps to the budgets that it is given', async () => {
    const started = start({ RATE_LIMIT: '2' });
    await started.ready();
    const [login = '', create = ''] = linesToPaste(started);
    const replies = await paste([login, ...Array(3).fill(`${create} -o /dev/null -w '%{http_code}\\n'`)]);
    expect(replies.split('\n')).toEqual(['201', '201', '429', '']);
    const lines = started
      .output()
      .split('\n')
      .filter((line) => /^(GET|POST) /.test(line));
    expect(lines).toEqual([
      expect.stringMatching(/^POST +\/api\/v1\/auth\/login +200 +\d+ ms +[1-9]\d* calls? +\d.* -$/),
      expect.stringMatching(/^POST +\/api\/v1\/orgs +201 +.* platform$/),
      expect.stringMatching(/^POST +\/api\/v1\/orgs +201 +.* platform$/),
      expect.stringMatching(/^POST +\/api\/v1\/orgs +429 +.* 0 read 0 write +platform$/),
    ]);
  });

  it('throttles each route as a stage does, if it is told to', async () => {
    const url = await start({ THROTTLE_RATE: '1', THROTTLE_BURST: '2' }).ready();
    const replies = await Promise.all(Array.from(Array(20), () => fetch(`${url}/.well-known/jwks.json`)));
    const statuses = replies.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
  });

  it.skipIf(!canListProcesses)(
    'says when its DynamoDB has died and starts it again, with its data; nothing else is written at LOG_LEVEL=warn',
    async () => {
      const DATA_DIR = await freshDirectory();
      const started = start({ DATA_DIR, LOG_LEVEL: 'warn' });
      await started.ready();
      const [login = '', create = '', list = ''] = linesToPaste(started);
      // DynamoDB Local answers before it has stored a transaction: the last one may be lost.
      await paste([login, create, create, create]);
      const welcome = started.output();
      expect(welcome).toMatch(/documentation +http:\/\/127\.0\.0\.1:\d+\/api\/v1\/docs\n/);
      const [engine = Number.NaN] = childrenOf(started);
      process.kill(engine, 'SIGKILL');
      await vi.waitUntil(() => started.output().includes('DynamoDB answers again'), { timeout: PATIENCE });

      expect(await paste([login, list])).toContain('"name":"Acme"');
      expect(started.output().slice(welcome.length)).toMatch(
        /^WARN The embedded DynamoDB has died \(SIGKILL.*\)\. It is started again, over its data in .*\.\nWARN DynamoDB answers again, at http:\S+\.\n$/,
      );
      expect(started.output()).toContain(`at ${endpointAndKey(endpointIn(DATA_DIR)).endpoint}.`);
      const children = childrenOf(started);
      expect(await started.signal('SIGINT')).toBe(130);
      expect(children.filter(isRunning)).toEqual([]);
    },
  );

  it('says in one sentence that the port is in use', async () => {
    const server = createServer();
    const { port } = new URL(await listening(server));
    const started = start({ PORT: port });
    expect(await started.exit).toBe(1);
    server.close();
    expect(started.output()).toBe(
      `Port ${port} on 127.0.0.1 is in use: stop what listens there, or set PORT to another (PORT=0 takes any free one).\n`,
    );
  });

  it('says in one sentence that the data directory is in use', async () => {
    const DATA_DIR = await freshDirectory();
    await start({ DATA_DIR }).ready();
    const second = start({ DATA_DIR });
    expect(await second.exit).toBe(1);
    expect(second.output()).toMatch(/^The data directory .* is in use by another running instance: .*\.\n$/);
  });

  it('waits for a DynamoDB that drops its first calls, as one that is just starting does', async () => {
    const { hostname, port } = new URL(inject('dynamoDbEndpoint'));
    let calls = 0;
    const starting = createTcpServer((socket) => {
      calls += 1;
      if (calls <= 3) return void socket.resetAndDestroy();
      const engine = connect(Number(port), hostname);
      pipeline(socket, engine, socket, () => undefined);
    });
    onTestFinished(() => void starting.close());
    const started = start({ DYNAMODB_ENDPOINT: await listening(starting) });
    await started.ready();
    expect(calls).toBeGreaterThan(3);
    expect(await started.signal('SIGTERM')).toBe(0);
  });

  it('says in one sentence that no DynamoDB answers', async () => {
    const started = start({ DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' });
    expect(await started.exit).toBe(1);
    expect(started.output()).toMatch(/^No DynamoDB answers at http:\/\/127\.0\.0\.1:1: .*\.\n$/);
  });

  it('says in one sentence what is wrong with a setting', async () => {
    const started = start({ PORT: 'http' });
    expect(await started.exit).toBe(1);
    expect(started.output()).toMatch(/^PORT must be .*\.\n$/);
  });
});

describe('npm run dev', () => {
  it.skipIf(!canListProcesses)('starts again when a source file changes, over the same data', async () => {
    const DATA_DIR = await freshDirectory();
    const started = start({ DATA_DIR }, ['--watch']);
    await started.ready();
    const engines = childrenOf(started);
    const now = new Date();
    utimesSync(join(import.meta.dirname, '../../local/welcome.ts'), now, now);
    await started.ready(2);
    const [, api = Number.NaN] = childrenOf(started);
    expect(engines.slice(1).filter(isRunning)).toEqual([]);
    expect(started.output()).not.toMatch(/in use|Error/);
    const left = [...childrenOf(started), api];
    await started.signal('SIGINT');
    await vi.waitUntil(() => !left.some(isRunning), { timeout: PATIENCE });
  });
});

describe('the settings', () => {
  it('have defaults, also for empty variables', () => {
    const defaults = { port: 3000, host: '127.0.0.1', dataDir: '.data', dynamoDbEndpoint: undefined };
    expect(readSettings({})).toEqual({ ...defaults, platformSecret: undefined });
    expect(readSettings({ PORT: '', DATA_DIR: '', PLATFORM_SECRET: '' })).toMatchObject(defaults);
  });

  it('say how many requests the functions take, more than can be sent unless they are set', () => {
    const environment = { tableName: 't', endpoint: 'http://127.0.0.1:1', keyFile: 'k', firstKey: true };
    const limits = (variables: Record<string, string>) => {
      const { rateLimit, tenantRateLimit } = readSettings(variables);
      setFunctionEnvironment({ ...environment, rateLimit, tenantRateLimit });
      return [process.env.RATE_LIMIT, process.env.TENANT_RATE_LIMIT];
    };
    const before = { ...process.env };
    onTestFinished(() => {
      process.env = before;
    });
    expect(limits({ RATE_LIMIT: '20', TENANT_RATE_LIMIT: '50' })).toEqual(['20', '50']);
    expect(limits({})).toEqual(['1000000', '']);
  });

  it('throttle nothing unless a rate is set, and take twice the rate at once unless a burst is set', () => {
    expect(readSettings({ THROTTLE_RATE: '', THROTTLE_BURST: '' }).throttling).toBeUndefined();
    expect(readSettings({ THROTTLE_RATE: '5' }).throttling).toEqual({ rate: 5, burst: 10 });
    expect(readSettings({ THROTTLE_RATE: '5', THROTTLE_BURST: '7' }).throttling).toEqual({ rate: 5, burst: 7 });
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '3e3'],
    ['HOST', '0.0.0.0'],
    ['HOST', 'example.org'],
    ['HOST', '127.0.0.1.example.org'],
    ['ALLOWED_HOSTS', 'a.test:3000'],
    ['ALLOWED_HOSTS', '*'],
    ['DYNAMODB_ENDPOINT', '127.0.0.1:8000'],
    ['DYNAMODB_ENDPOINT', 'file:///tmp'],
    ['RATE_LIMIT', '0'],
    ['RATE_LIMIT', '1e3'],
    ['TENANT_RATE_LIMIT', '-5'],
    ['THROTTLE_RATE', '0'],
    ['THROTTLE_RATE', '0.5'],
    ['THROTTLE_BURST', '5'],
    ['PLATFORM_SECRET', 'x'.repeat(31)],
    ['PLATFORM_SECRET', `täglich-${'x'.repeat(31)}`],
  ])('refuse %s=%s in one sentence', (name, value) => {
    expect(() => readSettings({ [name]: value })).toThrow(new RegExp(`^${name} must .*\\.$`));
  });
});

interface Stop {
  readonly on: NodeJS.Signals;
  readonly code: number;
  /** The directory of its temporary files. */
  readonly TMPDIR: string;
}

/** Stops one that keeps its data in memory. */
async function expectNothingLeft(started: Started, { on, code, TMPDIR }: Stop): Promise<void> {
  const left = (): string[] => readdirSync(TMPDIR).filter((name) => name.startsWith('custodia-'));
  expect(left()).toHaveLength(1);
  const children = canListProcesses ? childrenOf(started) : [];
  if (canListProcesses) expect(children.length).toBeGreaterThan(0);
  expect(await started.signal(on)).toBe(code);
  expect(children.filter(isRunning)).toEqual([]);
  expect(left()).toEqual([]);
}

const secretIn = (output: string): string | undefined => /platform secret {4}(.*)/.exec(output)?.[1];

const endpointIn = (dataDir: string): string => readFileSync(join(dataDir, 'dynamodb.endpoint'), 'utf8');

/** The table of whatever runs over this data directory. */
const tableIn = (dataDir: string) => tableAt({ tableName: LOCAL_TABLE, endpoint: endpointIn(dataDir) });

async function putAll(dataDir: string, items: readonly object[]): Promise<void> {
  const { client, name } = tableIn(dataDir);
  for (let first = 0; first < items.length; first += 25) {
    const batch = items.slice(first, first + 25).map((Item) => ({ PutRequest: { Item: { ...Item } } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [name]: batch } }));
  }
}

async function countOf(dataDir: string, partition: string): Promise<number> {
  const { client, name } = tableIn(dataDir);
  const query = new QueryCommand({
    TableName: name,
    KeyConditionExpression: 'PK = :partition',
    ExpressionAttributeValues: { ':partition': partition },
    ConsistentRead: true,
    Select: 'COUNT',
  });
  return (await client.send(query)).Count ?? 0;
}
