import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PROBLEM_TYPE_PREFIX } from '#contract';
import { bundle } from '../../infra/bundling/bundle.ts';
import { type Fault, FaultyHandler } from '../support/faults.ts';
import { useTableOver } from '../support/storage.ts';
import { useApi } from '../support/use-api.ts';

/** The health check, which monitoring calls, and its response while the table cannot be read. */

const PATH = '/api/v1/health';

const faulty = new FaultyHandler();
const api = useApi({ report: () => undefined });
beforeEach(() => {
  useTableOver(faulty, 2);
  faulty.follow(() => undefined);
});

it('responds to anyone, after one read, and may not be cached', async () => {
  const { status, headers, body } = await api.request('GET', PATH);
  expect([status, body]).toEqual([200, { status: 'ok' }]);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(faulty.calls).toEqual(['GetItem']);
});

it('asks the table again although the monitor has seen the same before', async () => {
  const { status } = await api.request('GET', PATH, { headers: { 'if-none-match': '"ok"' } });
  expect(status).toBe(304);
  expect(faulty.calls).toEqual(['GetItem']);
});

it('reads half a unit', async () => {
  const sent = vi.spyOn(faulty, 'handle');
  await api.request('GET', PATH);
  const read = JSON.parse(String(sent.mock.calls[0]?.[0].body)) as object;
  expect(read).toMatchObject({ Key: { PK: { S: 'HEALTH' }, SK: { S: 'CHECK' } } });
  expect(read).not.toHaveProperty('ConsistentRead', true);
});

describe('while the table cannot be read', () => {
  it.each<Fault>(['dropped', 'timeout', 'throttled', 'server-error'])('returns 503: %s', async (fault) => {
    faulty.follow(() => fault);
    const { status, headers, body } = await api.request('GET', PATH);
    expect(status).toBe(503);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(headers.get('retry-after')).toBe('2');
    expect(body).toEqual({
      type: `${PROBLEM_TYPE_PREFIX}unavailable`,
      title: 'The service cannot answer now',
      status: 503,
      request_id: expect.any(String),
    });
  });

  it('also returns 503 where the table is missing, and does not show it', async () => {
    vi.stubEnv('TABLE_NAME', 'no-such-table');
    useTableOver(faulty, 2);
    const { status, body } = await api.request('GET', PATH);
    vi.unstubAllEnvs();
    expect(status).toBe(503);
    expect(JSON.stringify(body)).not.toMatch(/table|ResourceNotFound|DynamoDB/i);
  });
});

/** As it is bundled for Lambda. */
describe('the heartbeat', () => {
  let directory: string;
  let beat: () => Promise<void>;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'custodia-heartbeat-'));
    const bundles = await bundle(['heartbeat'], directory);
    const module = await import(pathToFileURL(join(bundles.get('heartbeat') ?? '', 'index.mjs')).href);
    beat = module.handler;
  });
  beforeEach(() => {
    vi.stubEnv('HEALTH_URL', api.url + PATH);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('succeeds where the service works', async () => {
    await expect(beat()).resolves.toBeUndefined();
    expect(faulty.calls).toEqual(['GetItem']);
  });

  it('fails where the table cannot be read', async () => {
    faulty.follow(() => 'dropped');
    await expect(beat()).rejects.toThrow('the health check returned 503');
  });

  it.each([
    ['the path is another', () => `${api.url}/api/v1/healthy`, 'the health check returned 404'],
    ['nobody answers', () => 'http://127.0.0.1:1/', 'fetch failed'],
    ['it is not told where to call', () => undefined, 'HEALTH_URL is not set'],
  ])('fails where %s', async (_, url, message) => {
    vi.stubEnv('HEALTH_URL', url());
    await expect(beat()).rejects.toThrow(message);
  });
});
