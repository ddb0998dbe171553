import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, expect, it, vi } from 'vitest';
import { isSearchable, type Route } from '#contract';
import { contracts } from '../../functions/all-contracts.ts';
import type { JsonBody } from '../support/api.ts';
import { byExtent } from '../support/extent.ts';
import { eachFilter, listQueries } from '../support/list-queries.ts';
import { prepared } from '../support/prepared.ts';
import { useApi } from '../support/use-api.ts';
import { apiDriverOf } from './api-driver.ts';

/** Every list of the API, filtered and sorted by any of its fields, against a plain array: the queries are generated from the contracts. */

const api = useApi();
const mine = prepared(async () => apiDriverOf(api, (await api.orgToken()).token));

/** Less than a token is valid for in all. */
const STEP_MS = 400_000;
const lists = contracts
  .flatMap(({ routes }) => Object.entries(routes as Readonly<Record<string, Route>>))
  .filter(([, route]) => isSearchable(route) && route.response.isList && route.callers === undefined);

/** Some of these, in turn: no two records of a kind are alike. */
const turns = <T>(...values: readonly T[]) => {
  let next = 0;
  return (): T => values[next++ % values.length] as T;
};
const status = turns('active', 'inactive', 'held');
const text = turns('Zeta', 'alpha', 'Ärger', 'null', 'a,b', 'Zeta', 'Mid');
const date = turns(null, '2026-01-31', '2026-11-20', '2027-02-01', null);
const cost = turns(0, 12.5, 100, 12.5);
const tags = turns(null, ['vip'], ['vip', 'new'], []);
const flag = turns(true, false, false);

/** Records of every kind, some minutes apart. */
async function createAll(): Promise<void> {
  const clients: string[] = [];
  for (let round = 0; round < 7; round++) {
    vi.setSystemTime(Date.now() + STEP_MS);
    const client = await mine.client({ name: text(), status: status(), email: `${round % 3}@example.com` });
    clients.push(client.id);
    const client_id = clients[round % 2] as string;
    const service = await mine.service({
      ...{ client_id, name: text(), status: status(), tags: tags() },
      ...{ health_status: flag() ? 'healthy' : 'down', monthly_cost: cost(), next_billing_date: date() },
    } as JsonBody);
    await mine.resource({ client_id, service_id: service.id, name: text(), cpu_usage: round * 13, tags: tags() });
    await mine.create('/terminals', { client_id, name: text(), location: text(), status: status() });
    await mine.create('/tickets', {
      ...{ subject: text(), description: text(), source: flag() ? 'email' : 'web', contact_id: randomUUID() },
      ...{ client_id: flag() ? client_id : null, priority: flag() ? 'high' : 'normal', tags: tags() },
    });
    await mine.create('/users', { email: `${round}@example.com`, name: text(), is_active: flag() });
    await mine.create('/logs/ingest', { level: flag() ? 'error' : 'info', message: text(), metadata: {} });
    await mine.create('/service-actions', { service_id: service.id, action_type: 'restart', parameters: {} });
  }
}

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  await createAll();
}, 60_000);

it.each(lists.map(([id, { path }]) => [id, path.replace('/api/v1', '')] as const))(
  '%s has what a plain array has',
  async (id, path) => {
    const route = lists.find(([name]) => name === id)?.[1] as Route;
    const whole = await mine.get(
      `${path}?page_size=200&sort=created_at${'view' in route.query.shape ? '&view=full' : ''}`,
    );
    expect(whole.status).toBe(200);
    const rows = whole.body.data as Record<string, unknown>[];
    for (const { values, matches } of fc.sample(eachFilter(route, rows), { numRuns: 1, seed: 1 }).flat()) {
      const asked = values.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
      const { status: code, body } = await mine.get(`${path}?${asked}`);
      expect([asked, code, body.total]).toEqual([asked, 200, rows.filter(matches).length]);
    }
    await fc.assert(
      fc.asyncProperty(listQueries(route, rows), fc.integer({ min: 1, max: 9 }), async (wanted, size) => {
        const expected = rows
          .filter(wanted.matches)
          .toSorted(wanted.compare)
          .map((row) => row.id);
        const ids: unknown[] = [];
        for (let page = 1; (page - 1) * size < expected.length + 1; page++) {
          const { status: code, body } = await mine.get(`${path}?${wanted.query}&page=${page}&page_size=${size}`);
          expect([code, body.total], wanted.query).toEqual([200, expected.length]);
          ids.push(...(body.data as { id: unknown }[]).map((row) => row.id));
        }
        expect(ids, wanted.query).toEqual(expected);
      }),
      { numRuns: byExtent({ sample: 6, extended: 40, nightly: 400 }) },
    );
  },
);
