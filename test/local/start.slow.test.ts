import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, utimesSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import type { JsonBody } from '../support/api.ts';
import { freshDirectory } from '../support/directory.ts';
import { listening } from '../support/listening.ts';
import { runOperator } from '../support/operator.ts';
import { PATIENCE } from '../support/patience.ts';
import { canListProcesses, isRunning, isStopped } from '../support/processes.ts';
import { newTicket } from '../support/tickets.ts';
import { childrenOf, linesToPaste, npmOnDynoxide, paste, start, startWithNpm } from './start-fixture.ts';

/**
 * `npm start` as somebody runs it who has just cloned the repository. A start takes seconds, so each shows several
 * things.
 */

/** Uploads a file to a ticket of a new organization. @returns the statuses of the upload and of its completion */
async function attachTo(url: string): Promise<readonly number[]> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  const post = async (path: string, body: object = {}): Promise<JsonBody> => {
    const response = await fetch(`${url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await response.json()) as JsonBody;
  };
  const { app_code, secret } = await post('/integrations', { app_code: 'files', display_name: 'Files' });
  headers.Authorization = `Bearer ${(await post('/auth/login', { app_code, secret })).access_token}`;
  const path = `/tickets/${(await post('/tickets', newTicket())).id}/attachments`;
  const sha256 = createHash('sha256').update('hello').digest('hex');
  const announced = await post(path, { name: 'a.txt', media_type: 'text/plain', size: 5, sha256 });
  const { url: address, ...request } = announced.upload as RequestInit & { readonly url: string };
  const uploaded = await fetch(address, { ...request, body: 'hello' });
  const { status } = await fetch(`${url}/api/v1${path}/${announced.id}/complete`, { method: 'POST', headers });
  return [uploaded.status, status];
}

const waitUntil = <T>(isTrue: () => T) => vi.waitUntil(isTrue, { timeout: PATIENCE });

describe.skipIf(!canListProcesses)('npm start', () => {
  it('says three lines that work when pasted and where its data is in memory, and leaves nothing behind on Ctrl-C', async () => {
    const TMPDIR = await freshDirectory();
    const started = start({ TMPDIR });
    const url = await started.ready();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(started.output()).toMatch(/ready at \S+ \(in [\d.]+ s\)/);
    expect(started.output()).toMatch(/documentation +http:\/\/127\.0\.0\.1:\d+\/api\/v1\/docs\n/);
    expect(started.output()).toMatch(/platform app code {2}platform\n\s+platform secret {4}\S{32,}\n/);
    // A first key, asked for by a page whose name was made to lead here.
    const page = `-H 'Host: evil.example' -H 'Content-Type: application/json' -d '{"app_code":"evil","display_name":"E"}'`;
    expect(await paste([`curl -s -o /dev/null -w '%{http_code}' ${url}/api/v1/integrations ${page}`])).toBe('403');

    const [login = '', create = '', list = '', ...others] = linesToPaste(started);
    expect(others).toEqual([]);
    expect(await paste([login, create])).toContain('"name":"Acme"');
    expect(JSON.parse(await paste([login, list])).data).toContainEqual(expect.objectContaining({ name: 'Acme' }));

    expect(await attachTo(url)).toEqual([200, 200]);

    const DYNAMODB_ENDPOINT = /data .* at (http:\S+)\)/.exec(started.output())?.[1];
    const verify = (variables: Record<string, string | undefined>) =>
      runOperator(['verify', '--local', '--org', 'platform'], variables, { alone: true });
    expect(await verify({ DYNAMODB_ENDPOINT })).toMatchObject({ code: 0, stderr: '' });
    const [unknown, missing] = await Promise.all([
      verify({ DATA_DIR: ':memory:', DYNAMODB_ENDPOINT: '' }),
      verify({ DATA_DIR: join(TMPDIR, 'none'), DYNAMODB_ENDPOINT: '' }),
    ]);
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringMatching(/the one that npm start prints\.\n$/) });
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringMatching(/^There is no data directory .*\.\n$/) });

    const left = (): string[] => readdirSync(TMPDIR).filter((name) => name.startsWith('custodia-'));
    const children = childrenOf(started);
    expect([left().length, children.length > 0]).toEqual([1, true]);
    expect(await started.signal('SIGINT')).toBe(130);
    expect([children.filter(isRunning), left()]).toEqual([[], []]);
  });

  it('keeps to secret, budgets and throttling that it is given, prints a line of each request, and says how many it dropped', async () => {
    const PLATFORM_SECRET = `a'b"c$d\\e-${randomBytes(16).toString('hex')}`;
    const started = start({ PLATFORM_SECRET, RATE_LIMIT: '2', THROTTLE_RATE: '5' });
    const url = await started.ready();
    expect(started.output()).toMatch(/platform secret {4}as given in PLATFORM_SECRET\n/);
    expect(started.output()).not.toContain(PLATFORM_SECRET.slice(-32));
    const [login = '', create = ''] = linesToPaste(started);
    const lines = [login, ...Array(3).fill(`${create} -o /dev/null -w '%{http_code}\\n'`)];
    expect(await paste(lines, { PLATFORM_SECRET })).toBe('201\n201\n429\n');
    expect(started.output().match(/^(GET|POST) .*$/gm)).toEqual([
      expect.stringMatching(/^POST +\/api\/v1\/auth\/login +200 +\d+ ms +[1-9]\d* calls? +\d.* -$/),
      expect.stringMatching(/^POST +\/api\/v1\/orgs +201 +.* platform$/),
      expect.stringMatching(/^POST +\/api\/v1\/orgs +201 +.* platform$/),
      expect.stringMatching(/^POST +\/api\/v1\/orgs +429 +.* 0 read 0 write +platform$/),
    ]);
    const keys = await Promise.all(Array.from(Array(200), () => fetch(`${url}/.well-known/jwks.json`)));
    const statuses = keys.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));

    const [engine = Number.NaN] = childrenOf(started);
    process.kill(engine, 'SIGSTOP');
    await waitUntil(() => isStopped(engine));
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ app_code: 'platform', secret: 'x'.repeat(32) });
    const dropped = expect(fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers, body })).rejects.toThrow();
    // They come after it and need no DynamoDB.
    for (const _ of Array(2)) expect((await fetch(`${url}/nowhere`)).status).toBe(404);
    expect(await started.signal('SIGTERM')).toBe(1);
    await dropped;
    expect(started.output()).toMatch(/\nRequests that arrived and got no response: 1\.\n$/);
    expect(isRunning(engine)).toBe(false);
  });

  it('leaves nothing behind when it is stopped before it is ready', async () => {
    const started = start();
    const children = await waitUntil(() => childrenOf(started).length > 0 && childrenOf(started));
    await started.signal('SIGINT');
    await waitUntil(() => !children.some(isRunning));
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
    'leaves nothing behind when npm alone gets a %s',
    async (signal) => {
      const started = startWithNpm(['start'], signal === 'SIGKILL' ? {} : await npmOnDynoxide());
      await started.ready();
      const children = childrenOf(started);
      expect(children.length).toBeGreaterThanOrEqual(2);
      process.kill(started.pid, signal);
      await waitUntil(() => !children.some(isRunning));
    },
  );

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

  it('says in one sentence what keeps it from starting, and makes no data directory where its port is taken', async () => {
    const server = createServer();
    const { port } = new URL(await listening(server));
    onTestFinished(() => void server.close());
    const DATA_DIR = join(await freshDirectory(), 'data');
    for (const [variables, sentence] of [
      [{ PORT: port, DATA_DIR }, `Port ${port} on 127.0.0.1 is in use: .* \\(PORT=0 takes any free one\\)`],
      [{ DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' }, 'No DynamoDB answers at http://127.0.0.1:1: .*'],
      [{ PORT: 'http' }, 'PORT must be .*'],
    ] as const) {
      const started = start(variables);
      expect([await started.exit, started.output()]).toEqual([1, expect.stringMatching(`^${sentence}\\.\n$`)]);
    }
    expect(existsSync(DATA_DIR)).toBe(false);
  });
});

describe.skipIf(!canListProcesses)('npm run dev', () => {
  it('starts again when a source file changes, over the same data, and ends with npm', async () => {
    const started = startWithNpm(['run', 'dev'], { ...(await npmOnDynoxide()), DATA_DIR: await freshDirectory() });
    await started.ready();
    const now = new Date();
    utimesSync(join(import.meta.dirname, '../../local/welcome.ts'), now, now);
    await started.ready(2);
    expect(started.output()).not.toMatch(/in use|Error/);
    const children = childrenOf(started);
    process.kill(started.pid, 'SIGKILL');
    await waitUntil(() => !children.some(isRunning));
  });
});
