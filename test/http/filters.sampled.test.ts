import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { filtersOf, type Route, uniqueFieldsOf } from '#contract';
import { referenceOf } from '../../shared/contract/constraints.ts';
import { elementOf } from '../../shared/contract/several-values.ts';
import type { JsonBody } from '../support/api.ts';
import { sampled } from '../support/extent.ts';
import { operations, type Scenario, TestTenant } from '../support/scenario.ts';
import { useApi } from '../support/use-api.ts';

/**
 * Every list and its filters, from the contracts: any combination of values returns the records that have them, and
 * their number.
 */

const api = useApi();

const typeOf = (route: Route, filter: string) => {
  const schema = route.query.shape[filter] as z.ZodType;
  return elementOf(schema) ?? schema;
};

/** The operation that creates the records of a list. Events of webhooks and of the audit log have their own tests. */
const creatorOf = ({ path }: Route): string | undefined =>
  operations.find(([, { method, path: other }]) => method === 'POST' && [path, `${path}/ingest`].includes(other))?.[0];

const filtered = operations.flatMap(([operationId, route]) => {
  // Exact values and ranges of times have tests of their own.
  const unique = uniqueFieldsOf(route.query);
  const filters = filtersOf(route).filter(
    (name) => name !== 'q' && !/_(after|before)$/.test(name) && !unique.has(name),
  );
  const creator = creatorOf(route);
  return filters.length === 0 || creator === undefined ? [] : [{ operationId, route, filters, creator }];
});

const CANDIDATES = [
  'open',
  'closed',
  'active',
  'inactive',
  'info',
  'error',
  'true',
  'false',
  randomUUID(),
  randomUUID(),
];

/** Filters that no body names: what gives a record the value, and whether it has it. */
const DERIVED: Readonly<
  Record<
    string,
    {
      readonly fields?: (value: unknown) => JsonBody;
      readonly add?: (testTenant: TestTenant, clientId: unknown) => Promise<unknown>;
      readonly has: (record: JsonBody) => unknown;
    }
  >
> = {
  over_threshold: {
    fields: (value) => ({ cpu_usage: value === true ? 81 : 80 }),
    has: ({ cpu_usage, alert_threshold }) => Number(cpu_usage) > Number(alert_threshold),
  },
  tag: {
    fields: (value) => ({ tags: [value, 'every'] }),
    has: ({ tags }) => (tags as readonly string[] | null)?.[0],
  },
  has_risks: {
    add: async (testTenant, client_id) => {
      const scenario = await testTenant.scenario('createService');
      return testTenant.send({ ...scenario, body: { ...scenario.body, client_id, health_status: 'down' } });
    },
    has: ({ has_risks }) => has_risks,
  },
};
const valueIn = (record: JsonBody, filter: string): unknown => DERIVED[filter]?.has(record) ?? record[filter];
const fieldsOf = (chosen: JsonBody): JsonBody =>
  Object.assign(
    {},
    ...Object.entries(chosen).map(([filter, value]) =>
      filter in DERIVED ? DERIVED[filter]?.fields?.(value) : { [filter]: value },
    ),
  );

type Values = Readonly<Record<string, readonly [string, string]>>;
/** A filter with the values that it is given, of which a record has any. */
type Chosen = readonly [filter: string, values: readonly string[]];

/** All choices of one of the values, of both where the filter takes several, or of none, for each filter. */
const combinations = (route: Route, filters: readonly string[], values: Values): (readonly Chosen[])[] =>
  filters.reduce<(readonly Chosen[])[]>(
    (all, filter) => {
      const single = (values[filter] ?? []).map((value): Chosen => [filter, [value]]);
      const isSeveral = (route.query.shape[filter] as z.ZodType).meta()?.param?.explode === false;
      const both: readonly Chosen[] = isSeveral ? [[filter, values[filter] ?? []]] : [];
      return all.flatMap((some) => [some, ...[...single, ...both].map((one) => [...some, one])]);
    },
    [[]],
  );

describe.each(sampled(filtered, 2))('$operationId', ({ operationId, route, filters, creator }) => {
  /** The references of two test tenants in one tenant. */
  let testTenants: readonly [TestTenant, TestTenant];
  let list: Scenario;
  let values: Values;
  const made: JsonBody[] = [];
  const parsed = (filter: string, text: string) => typeOf(route, filter).parse(text);
  const isReference = (filter: string) => referenceOf(typeOf(route, filter)) !== undefined;

  const page = async (query: string) => {
    // Whole records: a filter may be by a field that a list leaves out.
    const whole = 'view' in route.query.shape ? '&view=full' : '';
    const { status, body } = await api.request<{ data: JsonBody[]; total: number }>(
      'GET',
      `${list.path}?${query}${whole}`,
      {
        token: list.token ?? '',
      },
    );
    expect(status, query).toBe(200);
    return body;
  };

  beforeAll(async () => {
    const org = await api.orgToken();
    testTenants = [new TestTenant(api, org), new TestTenant(api, org)];
    list = await testTenants[0].scenario(operationId);
    const pairs = await Promise.all(
      filters.map(async (filter): Promise<[string, [string, string]]> => {
        const record = referenceOf(typeOf(route, filter));
        const fitting = CANDIDATES.filter((text) => typeOf(route, filter).safeParse(text).success);
        const [one = '', other = ''] =
          record === undefined
            ? fitting
            : [await testTenants[0].reference(record), await testTenants[1].reference(record)];
        return [filter, [one, other]];
      }),
    );
    values = Object.fromEntries(pairs);
    // Records that refer to others of one client: their references come from one test tenant or the other.
    const bits = filters.some(isReference) ? ['reference', ...filters.filter((each) => !isReference(each))] : filters;
    for (let number = 0; number < 2 ** bits.length; number++) {
      const choice = (filter: string): 0 | 1 =>
        ((number >> bits.indexOf(isReference(filter) ? 'reference' : filter)) & 1) as 0 | 1;
      const [first = ''] = filters.filter(isReference);
      const scenario = await testTenants[first === '' ? 0 : choice(first)].scenario(creator);
      const chosen = Object.fromEntries(
        filters.map((each) => [each, parsed(each, values[each]?.[choice(each)] ?? '')]),
      );
      const fields = fieldsOf(chosen);
      const { status, body } = await testTenants[0].send({ ...scenario, body: { ...scenario.body, ...fields } });
      expect(status).toBe(201);
      for (const filter of filters) if (chosen[filter] === true) await DERIVED[filter]?.add?.(testTenants[0], body.id);
      made.push({ ...fields, id: body.id });
    }
  });

  /** Compares every combination of so many filters with the whole list. */
  async function expectAll(most = filters.length): Promise<void> {
    const { data } = await page('page_size=200&sort=created_at');
    expect(data).toEqual(expect.arrayContaining(made.map((each) => expect.objectContaining(each))));
    const some = combinations(route, filters, values).filter(({ length }) => length <= most);
    for (const chosen of sampled(some, 8)) {
      const wanted = data.filter((each) =>
        chosen.every(([filter, texts]) => texts.some((text) => valueIn(each, filter) === parsed(filter, text))),
      );
      const query = new URLSearchParams([
        ...chosen.map(([filter, texts]): [string, string] => [filter, texts.join()]),
        ['sort', 'created_at'],
        ['page_size', '200'],
      ]).toString();
      const { data: found, total } = await page(query);
      expect([query, total, found.map(({ id }) => id)]).toEqual([query, wanted.length, wanted.map(({ id }) => id)]);
    }
  }

  it('has exactly the records with the values, in every combination of its filters', () => expectAll());

  it('follows a change and a deletion', async () => {
    const item = (method: string) =>
      operations.find(([, each]) => each.method === method && each.path === `${route.path}/{id}`);
    const [update, remove] = [item('PATCH')?.[1], item('DELETE')];
    const token = list.token ?? '';
    if (update?.body !== undefined) {
      const settable = Object.keys(update.body.schema.shape);
      const changes = filters.filter((each) => (settable.includes(each) || each in DERIVED) && !isReference(each));
      const body = fieldsOf(Object.fromEntries(changes.map((each) => [each, parsed(each, values[each]?.[1] ?? '')])));
      expect((await api.request('PATCH', `${route.path}/${made[0]?.id}`, { token, body })).status).toBe(200);
      Object.assign(made[0] ?? {}, body);
    }
    if (remove !== undefined) {
      expect((await api.request('DELETE', `${route.path}/${made.pop()?.id}`, { token })).status).toBe(204);
    }
    await expectAll(2);
  });

  it('refuses values that no record can have, with a pointer', async () => {
    for (const filter of filters) {
      const wrong = ['', ' ', 'A B', '\u0000', 'x'.repeat(300)].filter(
        (text) => !typeOf(route, filter).safeParse(text).success,
      );
      // Any text is an external id.
      expect(wrong.length).toBeGreaterThan(filter === 'external_id' ? -1 : 2);
      for (const text of wrong) {
        const { status, body } = await api.request('GET', `${list.path}?${new URLSearchParams({ [filter]: text })}`, {
          token: list.token ?? '',
        });
        expect([status, body.errors]).toEqual([
          400,
          [expect.objectContaining({ in: 'query', pointer: `#/${filter}` })],
        ]);
      }
    }
  });
});

const LEFT_BY: Readonly<Record<string, string>> = {
  listWebhookEvents: 'receiveWebhook',
  listAuditEvents: 'createRole',
};
const paged = operations
  .filter(([, { query }]) => 'page' in query.shape)
  .map(([operationId, route]) => [operationId, route] as const);

describe('pages', () => {
  it.each(sampled(paged, 3))(
    'of %s have every record once, the newest first, an exact total and links',
    // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one list, filled and walked
    async (operationId, route) => {
      const testTenant = new TestTenant(api, await api.orgToken());
      const { path, token = '' } = await testTenant.scenario(operationId);
      const creator = creatorOf(route) ?? LEFT_BY[operationId];
      const made: unknown[] = [];
      for (let count = 0; count < 5 && creator !== undefined; count++) {
        const scenario = await testTenant.scenario(creator);
        const { body } = await testTenant.send(
          creatorOf(route) === undefined || creator === 'ingestLog' ? scenario : { ...scenario, path },
        );
        if (creatorOf(route) !== undefined) made.unshift(body.id);
      }
      const read = async (target: string) => {
        const { headers, body } = await api.request<{
          data: JsonBody[];
          total: number;
          page: number;
          page_size: number;
        }>('GET', target, { token });
        const links = Array.from(
          (headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g),
          ([, to = '', name = '']) => [name, to] as const,
        );
        return { ...body, ids: body.data.map(({ id }) => id), links: new Map(links) };
      };
      const { ids, total, page_size } = await read(path);
      expect([ids.slice(0, made.length), page_size]).toEqual([made, 25]);
      const walked: unknown[] = [];
      let number = 1;
      for (let next: string | undefined = `${path}?page_size=2`; next !== undefined && number <= 6; number++) {
        const page = await read(next);
        expect([page.page, page.page_size, page.total]).toEqual([number, 2, total]);
        expect([page.links.has('prev'), page.links.has('next')]).toEqual([number > 1, number * 2 < total]);
        expect(page.links.get('last')).toMatch(new RegExp(`page=${Math.ceil(total / 2)}$`));
        walked.push(...page.ids);
        next = page.links.get('next');
      }
      expect(walked).toEqual(ids.slice(0, walked.length));
      expect([new Set(walked).size, Math.min(total, 12)]).toEqual([walked.length, walked.length]);
      expect(await read(`${path}?page=1000000&page_size=200`)).toMatchObject({ ids: [], total });
      if (!('sort' in route.query.shape) || total > 25) return;
      expect((await read(`${path}?sort=created_at`)).ids).toEqual(ids.toReversed());
    },
  );
});
