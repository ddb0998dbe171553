import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import type { JsonBody } from '../support/api.ts';
import { useApi } from '../support/use-api.ts';
import { paste } from './start-fixture.ts';

/** `npm run seed` */

const SEED = join(import.meta.dirname, '../../bin/seed.ts');

const run = (...flags: readonly string[]) => promisify(execFile)(process.execPath, [SEED, ...flags]);

const api = useApi();
const outputs: string[] = [];
beforeAll(async () => {
  const runs = [1, 2].map(() => run('--url', api.url));
  for (const { stdout } of await Promise.all(runs)) outputs.push(stdout);
});

const tokenIn = (output = ''): string => /^TOKEN=(\S+)$/m.exec(output)?.[1] ?? '';

const list = async (path: string, output = outputs[0]) => {
  const options = { token: tokenIn(output) };
  const { body } = await api.request<{ data: JsonBody[]; total: number }>('GET', `/api/v1${path}`, options);
  expect(body.data.length, path).toBe(body.total ?? body.data.length);
  return body.data;
};

it('fills an organization with records of every kind, which know of each other', async () => {
  const clients = await list('/clients');
  const [services, resources] = [await list('/services'), await list('/resources')];
  expect(clients).toHaveLength(3);
  for (const { id, services_count, total_resources } of clients) {
    const counts = [services, resources].map((records) => records.filter(({ client_id }) => client_id === id).length);
    expect([services_count, total_resources]).toEqual(counts);
    expect(services_count).toBeGreaterThan(1);
  }
  const counts = { '/tickets': clients.length + services.length, '/service-actions': services.length, '/logs': 4 };
  for (const [path, count] of Object.entries(counts)) expect(await list(path), path).toHaveLength(count);
  for (const path of ['/terminals', '/users', '/roles']) expect((await list(path)).length, path).toBeGreaterThan(1);
  for (const { id } of await list('/tickets')) expect(await list(`/tickets/${id}/messages`)).not.toEqual([]);
  for (const { id } of await list('/users')) expect(await list(`/users/${id}/memberships`)).toHaveLength(1);
});

it('gives resources their samples oldest first, so that each is how its resource is now', async () => {
  for (const { id, last_health_check, cpu_usage, health_status } of await list('/resources')) {
    const history = await list(`/resources/${id}/history`);
    expect(history).toHaveLength(20);
    const times = history.map(({ timestamp }) => String(timestamp));
    expect(times).toEqual(times.toSorted().reverse());
    expect(Date.parse(times[0] ?? '') - Date.parse(times.at(-1) ?? '')).toBe(9.5 * 86_400_000);
    expect(history[0]).toMatchObject({ timestamp: last_health_check, cpu_usage, health_status });
  }
});

it('prints three addresses to look at, which have something to show when pasted, and credentials', async () => {
  const [login = '', ...lines] = outputs[0]?.split('\n').filter((line) => /^(TOKEN=|curl )/.test(line)) ?? [];
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(JSON.parse(await paste([login, line])).data, line).not.toEqual([]);
  const [, appCode = '', secret = ''] = /app code +(\S+)\n +secret +(\S+)/.exec(outputs[0] ?? '') ?? [];
  expect(await api.login(appCode, secret)).toMatch(/^ey/);
});

it('can be run again, and makes the same in another organization', async () => {
  const namesIn = async (output?: string) =>
    (await list('/resources', output)).map(({ name, type, location }) => `${name} ${type} ${location}`).toSorted();
  expect(await namesIn(outputs[1])).toEqual(await namesIn(outputs[0]));
  const organizations = outputs.map((output) => /^The organization (\S+) /.exec(output)?.[1]);
  expect(new Set(organizations).size).toBe(2);
});

it('says in one line that no API is there', async () => {
  const stderr = 'No API answers at http://127.0.0.1:1: run npm start first, or name its address with --url.\n';
  await expect(run('--url', 'http://127.0.0.1:1')).rejects.toMatchObject({ code: 1, stdout: '', stderr });
  const atPort = promisify(execFile)(process.execPath, [SEED], { env: { ...process.env, PORT: '1' } });
  await expect(atPort).rejects.toMatchObject({ code: 1, stdout: '', stderr });
});
