import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { type Route, referencesIn, uniqueFieldsOf } from '#contract';
import { referenceOf } from '../../shared/contract/constraints.ts';
import type { JsonBody, OrgAccess } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { sampled } from '../support/extent.ts';
import { freshValue } from '../support/relations.ts';
import { operations, type Scenario, TestTenant } from '../support/scenario.ts';
import { useApi } from '../support/use-api.ts';

/**
 * Every operation of the contracts × {the tenant's record, another tenant's, none}, wherever a request can name one.
 * Another tenant's record and a missing one must get the same response, byte for byte except the request's id.
 * Generated from the contracts, so that it includes new routes.
 */

const api = useApi();
let mine: OrgAccess;
let theirs: OrgAccess;
let testTenant: TestTenant;
let rivals: TestTenant;
let platform: string;

beforeAll(async () => {
  [mine, theirs, platform] = await Promise.all([api.orgToken('Acme'), api.orgToken('Rival'), api.platformToken()]);
  [testTenant, rivals] = [new TestTenant(api, mine), new TestTenant(api, theirs)];
});

interface Exchange {
  readonly status: number;
  /** The response without what differs between requests, with `ids` replaced by the same text. */
  readonly said: string;
}

/** Headers that belong to the one response, or to the caller's budget. */
const OF_THE_ANSWER = /^(date|x-request-id|x-amzn-requestid|x-amzn-trace-id|ratelimit.*|keep-alive|connection)$/;

async function exchange(scenario: Scenario, id: string | undefined = undefined): Promise<Exchange> {
  const { route, path, body, token, headers } = scenario;
  const response = await api.fetch(`${api.url}${path}`, {
    method: route.method,
    headers: {
      ...headers,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const kept = [...response.headers].filter(([name]) => !OF_THE_ANSWER.test(name));
  const text = (await response.text()).replace(/"request_id":"[^"]*"/, '"request_id":""');
  const said = JSON.stringify([response.status, kept, text]);
  return { status: response.status, said: id === undefined ? said : said.replaceAll(id, '<id>') };
}

/** An id with the same form and number as another one, but of no record. */
const noneLike = (id: string): string => `${id.slice(0, -12)}${randomUUID().slice(-12)}`;

/** The scenario with the id of a record in a certain place; undefined where it has no such place. */
type Place = (scenario: Scenario, id: string) => Scenario;

async function expectNoDifference(operationId: string, place: Place, anotherTenants: string): Promise<Exchange> {
  const scenario = await testTenant.scenario(operationId);
  const none = noneLike(anotherTenants);
  const ofTheirs = await exchange(place(scenario, anotherTenants), anotherTenants);
  const ofNone = await exchange(place(scenario, none), none);
  expect(ofTheirs).toEqual(ofNone);
  return ofTheirs;
}

const protectedOperations = operations.filter(([, { auth }]) => auth === 'bearer');
const each = (places: (route: Route) => readonly string[]) =>
  protectedOperations.flatMap(([id, route]) => places(route).map((name) => [id, name, route] as const));

const byParameter = each((route) => Object.keys(route.params.shape));
const referencesOf = ({ body }: Route) => (body === undefined ? new Map<string, string>() : referencesIn(body.schema));
const byField = each((route) => [...referencesOf(route).keys()]);
const byFilter = each(({ query, response }) =>
  response.isList ? Object.keys(query.shape).filter((name) => name.endsWith('_id') && name !== 'org_id') : [],
);
const byOrgInQuery = protectedOperations.filter(([, { query }]) => 'org_id' in query.shape);
const byOrgInBody = operations.filter(
  ([, { auth, body }]) => auth.startsWith('bearer') && 'org_id' in (body?.schema.shape ?? {}),
);

const withQuery = (scenario: Scenario, query: string): Scenario => ({
  ...scenario,
  path: `${scenario.path}${scenario.path.includes('?') ? '&' : '?'}${query}`,
});
const withBody = (scenario: Scenario, fields: JsonBody): Scenario => ({
  ...scenario,
  body: { ...scenario.body, ...fields },
});

/** The place of a path parameter. */
const inPath =
  (name: string): Place =>
  (scenario, id) => {
    const index = scenario.route.path.split('/').indexOf(`{${name}}`);
    return { ...scenario, path: scenario.path.split('/').with(index, id).join('/') };
  };

/** The id in a place of the path of a tenant's valid scenario. */
const idInPath = ({ route, path }: Scenario, name: string): string =>
  path.split('/')[route.path.split('/').indexOf(`{${name}}`)] ?? '';

describe('a record named in the path', () => {
  it.each(sampled(byParameter, 6))('%s {%s}: own, else 404', async (operationId, name) => {
    const anotherTenants = idInPath(await rivals.scenario(operationId), name);
    const { status, said } = await expectNoDifference(operationId, inPath(name), anotherTenants);
    expect([status, said]).toEqual([404, expect.stringMatching(/There is no [a-z ]+ with this id\./)]);
    const own = await exchange(await testTenant.scenario(operationId));
    expect(own.status).toBe(operations.find(([id]) => id === operationId)?.[1].response.status);
  });

  it('is still there for its own tenant after all that', async () => {
    for (const [operationId, name] of sampled(byParameter, 10)) {
      const scenario = await rivals.scenario(operationId);
      const attack = { ...scenario, token: mine.token };
      expect((await exchange(attack)).status, `${operationId} ${name}`).toBe(404);
      expect((await exchange(scenario)).status, operationId).toBe(scenario.route.response.status);
    }
  });
});

describe('a record named in the body', () => {
  it.each(sampled(byField, 5))('%s %s: own, else 422', async (operationId, field, route) => {
    const record = referencesOf(route).get(field) ?? '';
    const place: Place = (scenario, id) => withBody(scenario, { [field]: id });
    const { status, said } = await expectNoDifference(operationId, place, await rivals.reference(record));
    const isFixed = route.body !== undefined && field in route.body.readOnlyFields;
    expect([status, said.includes(`#/${field}`)]).toEqual(isFixed ? [200, false] : [422, true]);
    expect(isFixed || said.includes('reference-not-found')).toBe(true);
    const own = await exchange(place(await testTenant.scenario(operationId), await testTenant.reference(record)));
    expect(own.status).toBe(route.response.status);
  });
});

/** The kinds of records of a filter that takes ids of several kinds. */
const ANY_RECORD = 'Role';

describe('a record named in a filter', () => {
  it.each(sampled(byFilter, 4))('%s ?%s: own, else an empty list', async (operationId, name, route) => {
    const anotherTenants = await rivals.reference(referenceOf(route.query.shape[name] as z.ZodType) ?? ANY_RECORD);
    const place: Place = (scenario, id) => withQuery(scenario, `${name}=${id}`);
    const { status, said } = await expectNoDifference(operationId, place, anotherTenants);
    expect(status).toBe(200);
    expect(said).toContain('\\"total\\":0');
  });
});

describe('a record named in an event', () => {
  const events = operations.filter(([, { event }]) => event !== undefined);
  const idFieldOf = ({ event }: Route) => event?.idField ?? 'id';
  const places = events.flatMap(([id, route]) => [
    ...(Object.keys(route.params.shape).length > 0 ? [[id, idFieldOf(route), route] as const] : []),
    ...Array.from(referencesOf(route).keys(), (name) => [id, name, route] as const),
  ]);

  it.each(sampled(places, 5))(
    '%s %s: another tenant’s and none are the same 422',
    async (operationId, field, route) => {
      const [own, other] = [await testTenant.scenario(operationId), await rivals.scenario(operationId)];
      const record = referencesOf(route).get(field);
      const anotherTenants = record === undefined ? idInPath(other, 'id') : await rivals.reference(record);
      const id = Object.keys(route.params.shape).length > 0 ? { [idFieldOf(route)]: idInPath(own, 'id') } : {};
      const ask = async (named: string) => {
        const data = { ...own.body, ...id, [field]: named };
        const { status, body } = await deliver(api, mine, { event_type: route.event?.type, data });
        return [status, JSON.stringify({ ...body, request_id: '' })];
      };
      const reply = await ask(anotherTenants);
      expect(reply).toEqual(await ask(noneLike(anotherTenants)));
      expect(reply).toEqual([422, expect.stringContaining(`#/data/${field}`)]);
    },
  );
});

describe('an organization named in the query', () => {
  it.each(sampled(byOrgInQuery, 4))('%s: own; else 403, be it there or not', async (operationId, route) => {
    const place: Place = (scenario, id) => withQuery(scenario, `org_id=${id}`);
    const { status } = await expectNoDifference(operationId, place, theirs.orgId);
    expect(status).toBe(403);
    const own = await exchange(place(await testTenant.scenario(operationId), mine.orgId));
    expect(own.status).toBe(route.response.status);
  });

  it.each(sampled(byOrgInQuery, 4))('%s: any that is there for the platform, else 404', async (operationId, route) => {
    const scenario = { ...(await testTenant.scenario(operationId)), token: platform };
    expect((await exchange(withQuery(scenario, `org_id=${randomUUID()}`))).status).toBe(404);
    expect((await exchange(withQuery(scenario, `org_id=${theirs.orgId}`))).status).not.toBe(500);
    expect((await exchange(withQuery(scenario, `org_id=${mine.orgId}`))).status).toBe(route.response.status);
  });
});

describe('an organization named in the body', () => {
  const place: Place = (scenario, org_id) => withBody(scenario, { org_id });

  it.each(sampled(byOrgInBody, 4))('%s: own; else 403, be it there or not', async (operationId, route) => {
    const { status } = await expectNoDifference(operationId, place, theirs.orgId);
    expect(status).toBe(403);
    expect((await exchange(place(await testTenant.scenario(operationId), mine.orgId))).status).toBe(
      route.response.status,
    );
  });

  it.each(sampled(byOrgInBody, 4))('%s: any that is there for the platform, else 422', async (operationId, route) => {
    const scenario = async () => ({ ...(await testTenant.scenario(operationId)), token: platform });
    expect((await exchange(place(await scenario(), randomUUID()))).status).toBe(422);
    expect((await exchange(place(await scenario(), mine.orgId))).status).toBe(route.response.status);
  });
});

describe('a value that may be used once', () => {
  /** Its unique fields, by their names, with examples. */
  const uniqueIn = ({ body, bodyExample, response }: Route): readonly (readonly [string, unknown])[] =>
    body === undefined
      ? []
      : Array.from(uniqueFieldsOf(body.schema))
          .filter(([, { within }]) => within === 'tenant')
          .map(([field]) => [field, bodyExample?.[field] ?? (response.example as JsonBody)[field]]);
  const creations = protectedOperations.flatMap(([id, route]) =>
    route.method === 'POST' ? uniqueIn(route).map(([field, example]) => [id, field, example] as const) : [],
  );

  it.each(sampled(creations, 3))('%s %s: may be used once in each tenant', async (operationId, field, example) => {
    const [first, second] = [await testTenant.scenario(operationId), await rivals.scenario(operationId)];
    const schema = first.route.body?.schema as z.ZodObject;
    const shared = { [field]: freshValue(schema, field, example, randomUUID().slice(0, 13)) };
    expect((await exchange(withBody(second, shared))).status).toBe(201);
    expect((await exchange(withBody(first, shared))).status).toBe(201);
    const again = withBody(await testTenant.scenario(operationId), shared);
    const { status, said } = await exchange(again);
    expect([status, said.includes(`#/${field}`)]).toEqual([409, true]);
  });
});

/** What changes with each request of the caller (`account.test.ts`). */
const TELLS_OF_REQUESTS: ReadonlySet<string> = new Set(['getMe', 'getUsage']);

describe('what others do', () => {
  it('changes no response', async () => {
    const reads: Scenario[] = [];
    for (const [operationId, { method }] of operations) {
      if (method === 'GET' && !TELLS_OF_REQUESTS.has(operationId)) reads.push(await testTenant.scenario(operationId));
    }
    const lists = reads.filter(({ route }) => 'page_size' in route.query.shape);
    const asked = [...reads, ...lists.map((list) => withQuery(list, 'page_size=1'))].map((read) =>
      read.token === platform ? { ...read, token: mine.token } : read,
    );
    const responses = async () => {
      const said: [string, string][] = [];
      for (const each of asked) said.push([each.path, (await exchange(each)).said]);
      return said;
    };
    const before = await responses();
    expect(before.length).toBeGreaterThan(30);
    for (const [operationId, { response }] of sampled(operations, 12)) {
      expect((await exchange(await rivals.scenario(operationId))).status, operationId).toBe(response.status);
    }
    expect(await responses()).toEqual(before);
    // They do see their own events.
    await testTenant.make('Client');
    expect(await responses()).not.toEqual(before);
  });
});
