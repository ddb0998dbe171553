import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { meter } from '../../local/dynamodb/usage.ts';
import type { Log } from '../../local/terminal/log.ts';
import { terminalRequestLog } from '../../local/terminal/request-log.ts';
import { environmentTable } from '../../shared/table/connection/client.ts';
import { type Api, type OrgAccess, startApi } from '../support/api.ts';

/** What `npm start` writes of every request. */

const lines: string[] = [];
const calls: string[] = [];
const ignored = (): void => undefined;
const log: Log = {
  writes: () => true,
  debug: ignored,
  info: (text) => lines.push(text),
  warn: ignored,
  error: ignored,
};

/** Not a terminal. */
const file = new PassThrough();

describe('a line of a request', () => {
  let api: Api;
  let org: OrgAccess;
  beforeAll(async () => {
    api = await startApi({ around: terminalRequestLog(log, file) });
    meter(environmentTable(), (text) => calls.push(text));
    org = await api.orgToken();
    // The authorizer's answer is kept from then on.
    await api.request('GET', '/api/v1/clients', { token: org.token });
  });
  beforeEach(() => {
    lines.length = 0;
    calls.length = 0;
  });
  afterAll(() => api.close());

  it('has method, path and query, status, time, calls with their units, and tenant', async () => {
    await api.request('GET', '/api/v1/clients?status=active', { token: org.token });
    expect(lines).toEqual([
      expect.stringMatching(
        new RegExp(
          `^GET +/api/v1/clients\\?status=active +200 +\\d+ ms +[1-9]\\d* calls? +[\\d.]+ read 0 write +${org.orgId}$`,
        ),
      ),
    ]);
    expect(calls).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(Query|GetItem|BatchGetItem), [\d.]+ units, \d+ ms$/)]),
    );
  });

  it('has write units for what is written, and none for what is refused before', async () => {
    await api.request('POST', '/api/v1/logs/ingest', { token: org.token, body: { level: 'info', message: 'up' } });
    await api.request('POST', '/api/v1/logs/ingest', { token: org.token, body: {} });
    expect(lines).toEqual([
      expect.stringMatching(/^POST +\/api\/v1\/logs\/ingest +201 .* 0\.5 read [1-9][\d.]* write /),
      expect.stringMatching(/^POST +\/api\/v1\/logs\/ingest +422 .* 0 calls +0 read 0 write /),
    ]);
  });

  it('names the platform, and nobody where the caller is not known', async () => {
    await api.request('GET', '/api/v1/orgs', { token: await api.platformToken() });
    await api.request('GET', '/api/v1/orgs', { token: 'none' });
    await api.request('GET', '/nowhere');
    expect(
      lines.map((line) =>
        line
          .split(/ +/)
          .slice(0, 3)
          .concat(line.split(/ +/).at(-1) ?? ''),
      ),
    ).toEqual([
      ['GET', '/api/v1/orgs', '200', 'platform'],
      ['GET', '/api/v1/orgs', '401', '-'],
      ['GET', '/nowhere', '404', '-'],
    ]);
  });

  it('counts the calls of its own request alone, whatever else is under way', async () => {
    const { token } = org;
    const write = () => api.request('POST', '/api/v1/logs/ingest', { token, body: { level: 'info', message: 'up' } });
    const refused = () => api.request('POST', '/api/v1/clients', { token, body: {} });
    await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? write() : refused())));
    const callsOf = (path: string) =>
      lines.filter((line) => line.includes(path)).map((line) => Number(/(\d+) calls? /.exec(line)?.[1]));
    expect(callsOf('/clients')).toEqual(Array(10).fill(0));
    expect(Math.min(...callsOf('/ingest'))).toBeGreaterThan(0);
    expect(callsOf('/ingest').reduce((sum, count) => sum + count)).toBe(calls.length);
  });
});

describe('a line', () => {
  const lineOf = async (target: string, stream: NodeJS.WritableStream): Promise<string> => {
    lines.length = 0;
    const request = { requestId: '1', method: 'GET', target };
    await terminalRequestLog(log, stream)(request, async () => ({ status: 503, caller: undefined }));
    return lines.join('\n');
  };

  it('has colours on a terminal, but where NO_COLOR is set, and none elsewhere', async () => {
    // Node reads more of the environment than this test is about, such as the `CI` of a runner.
    const getColorDepth = () =>
      WriteStream.prototype.getColorDepth({ TERM: 'xterm-256color', NO_COLOR: process.env.NO_COLOR });
    const terminal = Object.assign(new PassThrough(), { isTTY: true, getColorDepth });
    expect(await lineOf('/', terminal)).toContain('\x1b[31m503\x1b[39m');
    expect(await lineOf('/', file)).not.toContain('\x1b');
    vi.stubEnv('NO_COLOR', '1');
    expect(await lineOf('/', terminal)).not.toContain('\x1b');
  });

  it('is one line without commands for the terminal, and not endless', async () => {
    expect(await lineOf('/a\x1b[2J\nb', file)).toMatch(/^GET +\/a\?\[2J\?b +503 /);
    expect((await lineOf(`/${'x'.repeat(9_000)}`, file)).length).toBeLessThan(400);
  });
});
