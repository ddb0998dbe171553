import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SeedApi } from '../../local/seed/api.ts';
import { Random } from '../../local/seed/random.ts';
import { samples } from '../../local/seed/samples.ts';
import { type Api, type JsonBody, startApi } from '../support/api.ts';
import { listening } from '../support/listening.ts';
import { paste } from './start-fixture.ts';

/** `npm run seed` */

const run = (...flags: readonly string[]) =>
  promisify(execFile)(process.execPath, [join(import.meta.dirname, '../../bin/seed.ts'), ...flags]);

describe('npm run seed', () => {
  let api: Api;
  let output: string;
  let token: string;
  beforeAll(async () => {
    api = await startApi();
    ({ stdout: output } = await run('--url', api.url, '--clients', '2', '--days', '2'));
    token = /^TOKEN=(\S+)$/m.exec(output)?.[1] ?? '';
  });
  afterAll(() => api.close());

  const list = async (path: string) => {
    const { body } = await api.request<{ data: JsonBody[]; total: number }>('GET', `/api/v1${path}`, { token });
    expect(body.data.length, path).toBe(body.total ?? body.data.length);
    return body.data;
  };

  it('fills an organization with records of every kind, which know of each other', async () => {
    const clients = await list('/clients');
    const [services, resources] = [await list('/services'), await list('/resources')];
    expect(clients).toHaveLength(2);
    for (const { id, services_count, total_resources } of clients) {
      expect([services_count, total_resources]).toEqual(
        [services, resources].map((records) => records.filter(({ client_id }) => client_id === id).length),
      );
      expect(services_count).toBeGreaterThan(1);
    }
    expect((await list('/tickets')).length).toBe(clients.length + services.length);
    expect((await list('/service-actions')).length).toBe(services.length);
    expect((await list('/logs')).length).toBe(20);
    for (const path of ['/terminals', '/users', '/roles']) expect((await list(path)).length, path).toBeGreaterThan(1);
    const messages = (await list('/tickets')).map(({ id }) => list(`/tickets/${id}/messages`));
    expect((await Promise.all(messages)).every(({ length }) => length > 0)).toBe(true);
    const memberships = (await list('/users')).map(({ id }) => list(`/users/${id}/memberships`));
    expect((await Promise.all(memberships)).every(({ length }) => length === 1)).toBe(true);
  });

  it('gives resources their samples oldest first, so that each is how its resource is now', async () => {
    for (const { id, last_health_check, cpu_usage, health_status } of await list('/resources')) {
      const history = await list(`/resources/${id}/history`);
      expect(history).toHaveLength(4);
      const times = history.map(({ timestamp }) => String(timestamp));
      expect(times).toEqual(times.toSorted().reverse());
      expect(Date.parse(times[0] ?? '') - Date.parse(times.at(-1) ?? '')).toBe(1.5 * 86_400_000);
      expect(history[0]).toMatchObject({ timestamp: last_health_check, cpu_usage, health_status });
    }
  });

  it('prints three addresses to look at, which have something to show when pasted', async () => {
    const lines = output.split('\n').filter((line) => /^(TOKEN=|curl )/.test(line));
    expect(lines).toHaveLength(4);
    for (const line of lines.slice(1)) {
      const { data } = JSON.parse(await paste([...lines.slice(0, 1), line]));
      expect(data.length, line).toBeGreaterThan(0);
    }
    const [, appCode = '', secret = ''] = /app code +(\S+)\n +secret +(\S+)/.exec(output) ?? [];
    expect(await api.login(appCode, secret)).toMatch(/^ey/);
  });

  it('can be run again, and makes the same in another organization', async () => {
    const namesIn = async () => (await list('/resources')).map(({ name, type, location }) => [name, type, location]);
    const first = await namesIn();
    const again = await run('--url', api.url, '--clients', '2', '--days', '1');
    token = /^TOKEN=(\S+)$/m.exec(again.stdout)?.[1] ?? '';
    expect((await namesIn()).map(String).sort()).toEqual(first.map(String).sort());
    expect(organizationIn(again.stdout)).not.toBe(organizationIn(output));
  });

  it('says in one line that no API is there', async () => {
    const failure = await run('--url', 'http://127.0.0.1:1').catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'No API answers at http://127.0.0.1:1: run npm start first, or name its address with --url.\n',
    });
  });
});

const organizationIn = (output: string): string | undefined => /^The organization (\S+) /.exec(output)?.[1];

describe('a request of the seed', () => {
  interface Reply {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: object;
  }

  /** A server that gives these answers, one after the other. */
  const serverOf = async (replies: readonly Reply[]): Promise<string> => {
    const left = [...replies];
    const server = createServer((_, response) => {
      const { status, headers = {}, body } = left.shift() ?? { status: 500, body: {} };
      response.writeHead(status, headers).end(JSON.stringify(body));
    });
    onTestFinished(() => void server.close());
    return listening(server);
  };

  it('waits as long as it is told to when the budget is used up', async () => {
    const refused = (after?: string) => ({ status: 429, headers: after ? { 'retry-after': after } : {}, body: {} });
    const waited: number[] = [];
    const api = new SeedApi({
      url: await serverOf([refused('7'), refused(), { status: 201, body: { id: 'a' } }]),
      wait: async (seconds) => void waited.push(seconds),
    });
    expect(await api.post('/clients', {})).toEqual({ id: 'a' });
    expect([waited, api.waits, api.requests]).toEqual([[7, 1], 2, 1]);
  });

  it('that is refused for another reason ends it, with that reason', async () => {
    const body = { title: 'The body is not valid', errors: [{ pointer: '#/name', detail: 'is required' }] };
    const api = new SeedApi({ url: await serverOf([{ status: 422, body }]) });
    await expect(api.post('/clients', {})).rejects.toThrow(
      'POST /clients was answered with 422: The body is not valid; [{"pointer":"#/name","detail":"is required"}].',
    );
  });
});

describe('samples', () => {
  const now = Date.UTC(2026, 10, 20, 12);
  const history = Array.from({ length: 40 }, (_, seed) => samples(30, now, new Random(seed)));

  it('cover the days up to now, and are the same for the same seed', () => {
    for (const each of history) {
      expect(each).toHaveLength(60);
      expect(each.at(-1)?.timestamp).toBe('2026-11-20T12:00:00.000Z');
      expect(
        each
          .flatMap(({ cpu_usage, memory_usage, storage_usage }) => [cpu_usage, memory_usage, storage_usage])
          .every((usage) => Number(usage) >= 0 && Number(usage) <= 100),
      ).toBe(true);
    }
    expect(samples(30, now, new Random(3))).toEqual(history[3]);
    expect(samples(30, now, new Random(3))).not.toEqual(history[4]);
  });

  it('have some machines with a full disk, and some that are degraded, but not all', () => {
    const last = history.map((each) => each.at(-1));
    for (const isSo of [
      last.map((sample) => Number(sample?.storage_usage) > 90),
      last.map((sample) => sample?.health_status === 'degraded'),
    ]) {
      expect(new Set(isSo)).toEqual(new Set([true, false]));
    }
  });
});
