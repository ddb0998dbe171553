import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { filteredField, isSearchable, listParametersOf, type Route, referencesIn, uniqueFieldsOf } from '#contract';
import { listQueryOf } from '../../shared/contract/list-query.ts';
import type { JsonBody } from '../support/api.ts';
import { sampled } from '../support/extent.ts';
import { prepared } from '../support/prepared.ts';
import {
  ALL_CODES,
  type Asked,
  askAs,
  HIDDEN,
  type Holding,
  holding,
  operation,
  personOf,
  type Said,
  type Served,
  served,
} from '../support/two-clients.ts';
import { useApi } from '../support/use-api.ts';

/**
 * People of one client (docs/security.md): in an organization with the clients A and B, who is of A calls every route of
 * the contracts with what is A's, B's and nobody's, and gets no byte of B. What is B's and what does not exist get the
 * same response.
 */

const api = useApi();
const world = prepared(async () => {
  const { orgId, token } = await api.orgToken();
  const [a, b, c] = [
    await holding(api, token, 'zalpha'),
    await holding(api, token, 'zbravo'),
    await holding(api, token, 'zcharlie'),
  ];
  return { orgId, token, a, b, c };
});

/** Who has all permissions for A, and none for anything else. */
const person = () => personOf(world.orgId, { [world.a.ids.Client]: ALL_CODES });

const open = served.filter(({ route }) => route.clientScope);
// What verifies its caller refuses users before (`alerts-callers.test.ts`).
const closed = served.filter(({ route: { auth, permission, clientScope, verifiesCaller } }) => {
  return auth.startsWith('bearer') && permission && !clientScope && !verifiesCaller;
});
/** Routes that take any valid token: each decides by itself what of its response a user may have. */
const WITHOUT_PERMISSION = ['getMe', 'sendMcpMessage', 'listTrash', 'endTrashed', 'runBatch'];

/** What A's people never see, whatever they ask for. */
const forbidden = (): string[] => [...world.b.own, HIDDEN, world.a.internal];

/** The same words with the names of nothing in place of B's. */
function ofNobody(text: string): string {
  const { own } = world.b;
  return own.reduce((changed, each) => changed.replaceAll(each, nothingLike(each)), text);
}
const nothings = new Map<string, string>();
/** An id with the same number but of no record; or a word that nothing has. */
function nothingLike(text: string): string {
  const known = nothings.get(text) ?? (text.includes('-') ? text.slice(0, -12) + randomUUID().slice(-12) : 'znobody');
  nothings.set(text, known);
  return known;
}

/** The response without what is of the request alone, and with the names of nothing in place of B's. */
function comparable({ status, headers, text }: Said): unknown {
  const kept = Object.entries(headers).filter(([name]) => !/^(RateLimit|X-Request-Id)/i.test(name));
  return ofNobody(JSON.stringify([status, kept, text.replace(/"request_id":"[^"]*"/, '')]));
}

/** Sends a request about B's things, and the same one about nothing. @returns the response */
async function expectNoDifference(of: Served, asked: Asked, user = person()): Promise<Said> {
  const said = await askAs(user, of, asked);
  const nothing = await askAs(user, of, JSON.parse(ofNobody(JSON.stringify(asked))) as Asked);
  expect(comparable(said)).toEqual(comparable(nothing));
  expectNothingOfB(said, asked);
  return said;
}

/** Checks that a response has nothing of B but what was sent. */
function expectNothingOfB({ text, headers }: Said, asked: Asked = {}): void {
  const sent = JSON.stringify(asked);
  const all = `${text} ${JSON.stringify(headers)}`;
  expect(forbidden().filter((each) => all.includes(each) && !sent.includes(each))).toEqual([]);
}

/** The parameters of a path with the ids of a client's records. */
const paramsOf = ({ params }: Route, { ids }: Holding): Record<string, string> =>
  Object.fromEntries(
    [...referencesIn(params)].map(([name, record]) => [name, ids[record as keyof Holding['ids']] ?? ids.Client]),
  );

describe('a route that is not declared for people of a client is a 403', () => {
  it.each(closed.map((each) => [each.id, each] as const))('%s', async (_, each) => {
    const { status, body } = await askAs(person(), each, { params: paramsOf(each.route, world.a) });
    expect(status).toBe(403);
    if (each.route.callers === undefined) expect(body.detail).toContain('for the whole organization');
  });

  it('but for those that need no permission', () => {
    const bearer = served.filter(({ route }) => route.auth === 'bearer' && !route.permission);
    expect(bearer.map(({ id }) => id).toSorted()).toEqual(WITHOUT_PERMISSION.toSorted());
  });

  it.each(WITHOUT_PERMISSION)('%s shows nothing of B', async (id) => {
    const each = operation(id);
    const asked = { params: { id: world.b.ids.Ticket }, ...(each.route.body ? { body: each.route.bodyExample } : {}) };
    expectNothingOfB(await askAs(person(), each, asked), asked);
  });
});

/** Each open route with what `cases` says of it. */
const each = <C>(among: readonly Served[], cases: (of: Served) => readonly C[]) =>
  among.flatMap((of) => cases(of).map((found) => [of.id, found, of] as const));

/** A valid body, where the route has one. */
const bodyFor = ({ id, route }: Served): { body?: JsonBody } => {
  if (route.body === undefined) return {};
  // The example is an agent's.
  const given = id === 'createTicketMessage' ? { author_type: 'customer' } : {};
  return { body: { ...(route.bodyExample as JsonBody), ...given } };
};

describe('a record in the path', () => {
  const items = open.filter(({ route }) => Object.keys(route.params.shape).length > 0);

  const VARIANTS: Readonly<Record<string, () => Asked>> = {
    alone: () => ({}),
    'with conditions': () => ({ headers: { 'If-Match': '"1.abc"', 'If-None-Match': '*' } }),
    'of the organization that is named': () => ({ query: { org_id: world.orgId } }),
  };

  it.each(each(items, () => Object.keys(VARIANTS)))('%s %s: of A, else the 404 of nothing', async (_, variant, of) => {
    const { route } = of;
    const further = VARIANTS[variant]?.() ?? {};
    const [own, theirs] = [paramsOf(route, world.a), paramsOf(route, world.b)];
    const said = await askAs(person(), of, { ...bodyFor(of), params: own });
    expect(said.status).toBe(route.response.status);
    expectNothingOfB(said);
    const names = Object.keys(own);
    // All combinations of A's and B's ids that have one of B's.
    for (let combination = 1; combination < 2 ** names.length; combination++) {
      const params = Object.fromEntries(
        names.map((name, at) => [name, (combination & (1 << at) ? theirs : own)[name] ?? '']),
      );
      const { status } = await expectNoDifference(of, { ...bodyFor(of), ...further, params });
      expect(status).toBe(404);
    }
  });

  it('is an internal message never', async () => {
    const params = { id: world.a.ids.Ticket, message_id: world.a.internal };
    const get = operation('getTicketMessage');
    const nothing = { ...params, message_id: nothingLike(world.a.internal) };
    const [internal, none] = [await askAs(person(), get, { params }), await askAs(person(), get, { params: nothing })];
    expect([internal.status, comparable(internal)]).toEqual([404, comparable(none)]);
  });
});

const lists = open.filter(({ route }) => isSearchable(route));
const withDetails = ({ route }: Served) => ('view' in route.query.shape ? { view: 'full' } : {});
const listed = (of: Served, query: Readonly<Record<string, string>> = {}) =>
  askAs(person(), of, { query: { ...withDetails(of), ...query } });

describe('a list', () => {
  it.each(lists.map((of) => [of.id, of] as const))('%s has what is of A, and its total', async (_, of) => {
    const said = await listed(of, { page_size: '100', org_id: world.orgId });
    expectNothingOfB(said);
    const { data = [], total } = said.body;
    expect([said.status, total, data.length > 0]).toEqual([200, data.length, true]);
    const { Client } = world.a.ids;
    expect(new Set(data.map(({ id, client_id = id }) => client_id))).toEqual(new Set([Client]));
    for (const hidden of of.hidden) expect(new Set(data.map((record) => record[hidden]))).toEqual(new Set([null]));
  });

  const orders = each(lists, ({ route }) => listQueryOf(route).sorts);

  it.each(sampled(orders, 24))('%s in the order of %s', async (_, field, of) => {
    const { total } = (await listed(of)).body;
    for (const sort of [`-${field}`, field === 'created_at' ? field : `created_at,${field}`]) {
      const said = await listed(of, { sort, page_size: '1' });
      expectNothingOfB(said);
      if (of.hidden.includes(field)) expect([said.status, said.body.errors]).toEqual([403, [IN_QUERY('sort')]]);
      else expect([said.status, said.body.total]).toEqual([200, total]);
    }
  });

  const filters = each(lists, ({ route }) => listParametersOf(route).filters.map(({ name }) => name));

  it.each([...filters.filter(isOfHidden), ...sampled(filters, 36)])('%s by the %s of B', async (_, name, of) => {
    const record = world.b.records[of.id.replace(/^list(\w+)s$/, '$1')] ?? {};
    const field = filteredField(of.route, name);
    const values = name === 'q' ? [world.b.mark, HIDDEN] : [record[field]].flat();
    for (const value of values) {
      if (value === null || value === undefined) continue;
      const said = await expectNoDifference(of, { query: { [name]: String(value) } });
      if (isOfHidden([of.id, name, of])) expect([said.status, said.body.errors]).toEqual([403, [IN_QUERY(name)]]);
      else if (/^(q|.*_id|external_id|slug|ticket_code|name)$/.test(name)) expect(said.body.total).toBe(0);
    }
  });

  it.each(lists.filter(({ route }) => 'client_id' in route.query.shape).map((of) => [of.id, of] as const))(
    '%s by A or B has A’s',
    async (_, of) => {
      const both = `${world.a.ids.Client},${world.b.ids.Client}`;
      const said = await expectNoDifference(of, { query: { client_id: both } });
      expect(said.body.total).toBe((await listed(of)).body.total);
    },
  );
});

const IN_QUERY = (name: string) => ({ in: 'query', pointer: `#/${name}`, detail: expect.any(String) });
const isOfHidden = ([, name, { route, hidden }]: readonly [string, string, Served]): boolean =>
  hidden.includes(filteredField(route, name));

const writes = open.filter(({ route }) => route.body !== undefined);
const referencesOf = ({ route: { body } }: Served) => [
  ...(body === undefined ? [] : referencesIn(body.schema).keys()),
  ...(body !== undefined && 'client_id' in body.readOnlyFields ? ['client_id'] : []),
];
/** A valid request of A's for a route that writes. */
const writing = (of: Served, more: JsonBody = {}): Asked => {
  const { client_id = undefined, ...fields } = bodyFor(of).body ?? {};
  const own = client_id === undefined ? {} : { client_id: world.a.ids.Client };
  const references = Object.fromEntries(referencesOf(of).flatMap((name) => (name in fields ? [[name, null]] : [])));
  return { params: paramsOf(of.route, world.a), body: { ...fields, ...references, ...own, ...more } };
};

/** The hidden fields of a route's own record. */
const hiddenIn = ({ route: { response }, hidden }: Served) =>
  hidden.filter((field) => field in ((response.example ?? {}) as object));

/** The fields by which upserts find a record, or that no two records have. */
const namesIn = ({ name, route: { body } }: Served): string[] => {
  const found = served.flatMap(({ name: other, route }) => (other === name ? (route.upsert?.by ?? []) : []));
  const names = body === undefined ? [] : [...uniqueFieldsOf(body.schema).keys(), ...found];
  return [...new Set(names)].filter((field) => field in (body?.schema.shape ?? {}));
};

describe('a body', () => {
  it.each(each(writes, referencesOf))('%s: its %s is of A, else a 422 as of nothing', async (_, field, of) => {
    const record = field.replace(/_id$/, '').replace(/^./, (letter) => letter.toUpperCase());
    const id = (from: Holding) => from.ids[record as keyof Holding['ids']];
    const said = await expectNoDifference(of, writing(of, { [field]: id(world.b) }));
    expect([said.status, said.body.errors]).toEqual([422, [expect.objectContaining({ pointer: `#/${field}` })]]);
    const own = await askAs(person(), of, writing(of, { [field]: id(world.a) }));
    expect(own.status).toBe(of.route.response.status);
    const named = await askAs(person(), of, writing(of, { [field]: { external_id: world.b.mark } }));
    expect([named.status, JSON.stringify(named.body.errors)]).toEqual([422, expect.stringContaining(`#/${field}`)]);
  });

  it.each(each(writes, hiddenIn))('%s: its %s stays as it is', async (_, field, of) => {
    const without = await askAs(person(), of, writing(of, { [field]: null }));
    expect([without.status, without.body[field]]).toEqual([of.route.response.status, null]);
    for (const value of [HIDDEN, { [HIDDEN]: 1 }, [world.a.ids.Ticket], 0]) {
      const { status, body } = await askAs(person(), of, writing(of, { [field]: value }));
      expect([status, body.errors]).toEqual([403, [expect.objectContaining({ in: 'body', pointer: `#/${field}` })]]);
    }
    const { name } = of;
    const path = `/api/v1/${name}/${world.a.ids[NAMES[name] ?? 'Client']}`;
    const kept = await api.request('GET', path, { token: world.token });
    expect(kept.body).toMatchObject({ [field]: world.a.records[NAMES[name] ?? '']?.[field] ?? null });
  });

  it.each(each(writes, namesIn))('%s: its %s is given by the organization', async (_, field, of) => {
    const said = await askAs(person(), of, writing(of, { [field]: null }));
    expect([201, 200]).toContain(said.status);
    const { status, body } = await expectNoDifference(of, writing(of, { [field]: world.b.mark }));
    expect([status, body.errors]).toEqual([403, [expect.objectContaining({ in: 'body', pointer: `#/${field}` })]]);
  });

  const creates = writes.filter(({ route }) => route.response.status === 201);

  it.each(creates.map((of) => [of.id, of] as const))('%s: its key replays it to the same clients', async (_, of) => {
    const user = person();
    const asked = { ...writing(of), headers: { 'Idempotency-Key': randomUUID() } };
    const [first, again] = [await askAs(user, of, asked), await askAs(user, of, asked)];
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    expect(again.headers).toMatchObject({ 'Idempotent-Replayed': 'true' });
    const moved = { ...personOf(world.orgId, { [world.b.ids.Client]: ALL_CODES }), user_id: user.user_id };
    const said = await askAs(moved, of, asked);
    expect([said.status, said.text.includes(String(first.body.id))]).toEqual([expect.any(Number), false]);
    expect([404, 422]).toContain(said.status);
  });
});

/** The record that a domain is about. */
const NAMES: Readonly<Record<string, keyof Holding['ids']>> = {
  clients: 'Client',
  services: 'Service',
  resources: 'Resource',
  terminals: 'Terminal',
  tickets: 'Ticket',
};
