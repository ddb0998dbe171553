import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { meter } from '#local-dynamodb';
import { environmentTable } from '#table';
import type { Log } from '../../local/terminal/log.ts';
import { terminalRequestLog } from '../../local/terminal/request-log.ts';
import { type Api, type OrgAccess, startApi } from '../support/api.ts';

/** What `npm start` writes of every request. */

const lines: string[] = [];
const calls: string[] = [];
const log: Partial<Log> = { writes: () => true, info: (text) => lines.push(text) };

let api: Api;
let org: OrgAccess;
beforeAll(async () => {
  api = await startApi({ around: terminalRequestLog(log as Log, new PassThrough()) });
  meter(environmentTable(), (text) => calls.push(text));
  org = await api.orgToken();
  // The authorizer's response is cached from then on.
  await api.request('GET', '/api/v1/clients', { token: org.token });
});
beforeEach(() => {
  lines.length = 0;
  calls.length = 0;
});
afterAll(() => api.close());

const ingest = (body: object = { level: 'info', message: 'up' }) =>
  api.request('POST', '/api/v1/logs/ingest', { token: org.token, body });

it('has method, path and query, status, time, calls with their units, and tenant', async () => {
  await api.request('GET', '/api/v1/clients?status=active', { token: org.token });
  const units = '+\\d+ ms +[1-9]\\d* calls? +[\\d.]+ read 0 write';
  expect(lines).toEqual([expect.stringMatching(`^GET +/api/v1/clients\\?status=active +200 ${units} +${org.orgId}$`)]);
  const call = expect.stringMatching(/^(Query|GetItem|BatchGetItem), [\d.]+ units, \d+ ms$/);
  expect(calls).toEqual(expect.arrayContaining([call]));
});

it('has write units for what is written, and none for what is refused before', async () => {
  await ingest();
  await ingest({});
  expect(lines).toEqual([
    expect.stringMatching(/^POST +\/api\/v1\/logs\/ingest +201 .* 0\.5 read [1-9][\d.]* write /),
    expect.stringMatching(/^POST +\/api\/v1\/logs\/ingest +422 .* 0 calls +0 read 0 write /),
  ]);
});

it('names the platform, and nobody where the caller is not known', async () => {
  await api.request('GET', '/api/v1/orgs', { token: await api.platformToken() });
  await api.request('GET', '/api/v1/orgs', { token: 'none' });
  await api.request('GET', '/nowhere');
  expect(lines).toEqual([
    expect.stringMatching(/^GET +\/api\/v1\/orgs +200 .* platform$/),
    expect.stringMatching(/^GET +\/api\/v1\/orgs +401 .* -$/),
    expect.stringMatching(/^GET +\/nowhere +404 .* -$/),
  ]);
});

it('counts the calls of its own request alone, whatever else is under way', async () => {
  const refused = () => api.request('POST', '/api/v1/clients', { token: org.token, body: {} });
  await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? ingest() : refused())));
  const callsOf = (path: string) =>
    lines.filter((line) => line.includes(path)).map((line) => Number(/(\d+) calls? /.exec(line)?.[1]));
  expect(callsOf('/clients')).toEqual(Array(10).fill(0));
  expect(Math.min(...callsOf('/ingest'))).toBeGreaterThan(0);
  expect(callsOf('/ingest').reduce((sum, count) => sum + count)).toBe(calls.length);
});
