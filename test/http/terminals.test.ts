import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type JsonBody, startApi } from '../support/api.ts';
import { type Calls, expectNoDifference, newTenant, pointsAt } from '../support/tenant-calls.ts';

const TERMINALS = '/api/v1/terminals';

let api: Api;
let acme: Calls;
let rival: Calls;
let client_id: string;

beforeAll(async () => {
  api = await startApi();
  [acme, rival] = await Promise.all([newTenant(api), newTenant(api)]);
  client_id = (await acme.create('/api/v1/clients', { name: 'Bistro' })).id;
});
afterAll(() => api.close());

const newTerminal = (fields: JsonBody = {}) => acme.create(TERMINALS, { client_id, name: 'Desk', ...fields });

describe('creating a terminal', () => {
  it('fills in what was not given', async () => {
    const { status, body, headers } = await acme.ask('POST', TERMINALS, { client_id, name: 'Front desk' });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        client_id,
        name: 'Front desk',
        location: '',
        status: 'active',
        created_at: expect.any(String),
      },
    ]);
    expect(headers.get('location')).toBe(`${TERMINALS}/${body.id}`);
    expect(await acme.read(`${TERMINALS}/${body.id}`)).toEqual(body);
  });

  it('keeps every field that was given', async () => {
    const fields = { client_id, name: 'Bar', location: 'Lisbon, ground floor', status: 'inactive' };
    expect(await newTerminal(fields)).toMatchObject(fields);
  });

  it('needs a client of the tenant', async () => {
    const theirs = await rival.create('/api/v1/clients', { name: 'Theirs' });
    const attempt = (id: string) => acme.ask('POST', TERMINALS, { client_id: id, name: 'Desk' });
    await expectNoDifference(422, attempt, theirs.id);
    expect((await attempt(randomUUID())).body.errors).toEqual(pointsAt('client_id'));
  });

  it.each([
    ['no client', { client_id: undefined }, 'client_id'],
    ['no name', { name: undefined }, 'name'],
    ['a blank name', { name: ' ' }, 'name'],
    ['a null location', { location: null }, 'location'],
    ['a status in capitals', { status: 'ACTIVE' }, 'status'],
    ['an unknown field', { colour: 'red' }, 'colour'],
  ])('refuses %s', async (_, fields, field) => {
    const { status, body } = await acme.ask('POST', TERMINALS, { client_id, name: 'Desk', ...fields });
    expect([status, body.errors]).toEqual([422, pointsAt(field)]);
  });
});

describe('changing a terminal', () => {
  it('changes the fields sent, and never the client', async () => {
    const before = await newTerminal();
    const changes = { name: 'Bar', location: 'First floor', status: 'inactive' };
    const moved = await acme.ask('PATCH', `${TERMINALS}/${before.id}`, { ...changes, client_id: randomUUID() });
    expect([moved.status, moved.body.errors]).toEqual([422, pointsAt('client_id')]);
    const { status, body } = await acme.ask('PATCH', `${TERMINALS}/${before.id}`, { ...changes, client_id });
    expect([status, body]).toEqual([200, { ...before, ...changes }]);
    expect(await acme.read(`${TERMINALS}/${before.id}`)).toEqual(body);
  });

  it('holds to If-Match', async () => {
    const created = await acme.ask('POST', TERMINALS, { client_id, name: 'Desk' });
    const headers = { 'if-match': created.headers.get('etag') ?? '' };
    const change = (name: string) => acme.ask('PATCH', `${TERMINALS}/${created.body.id}`, { name }, { headers });
    expect([(await change('one')).status, (await change('two')).status]).toEqual([200, 412]);
  });

  it.each([
    ['a blank name', { name: '' }, 'name'],
    ['a numeric status', { status: 1 }, 'status'],
    ['an unknown field', { colour: 'red' }, 'colour'],
  ])('refuses %s', async (_, changes, field) => {
    const { status, body } = await acme.ask('PATCH', `${TERMINALS}/${(await newTerminal()).id}`, changes);
    expect(status).toBe(422);
    expect(body.errors).toEqual(expect.arrayContaining(pointsAt(field)));
  });
});

describe('listing terminals', () => {
  it('goes by pages, clients and statuses', async () => {
    const org = await newTenant(api);
    const [one, two] = [
      await org.create('/api/v1/clients', { name: 'One' }),
      await org.create('/api/v1/clients', { name: 'Two' }),
    ];
    const made: JsonBody[] = [];
    for (const [client, status] of [
      [one, 'active'],
      [two, 'active'],
      [one, 'inactive'],
      [one, 'active'],
    ] as const) {
      made.push(await org.create(TERMINALS, { client_id: client.id, name: 'Desk', status }));
    }
    const [first, second, third, fourth] = made;
    const page = await org.ask('GET', `${TERMINALS}?page=1&page_size=3`);
    expect(page.body).toEqual({ data: [fourth, third, second], page: 1, page_size: 3, total: 4 });
    expect(page.headers.get('link')).toContain(`<${TERMINALS}?page_size=3&page=2>; rel="next"`);
    const listed = async (query: string) => (await org.read(`${TERMINALS}?sort=created_at&${query}`)).data;
    expect(await listed('status=active')).toEqual([first, second, fourth]);
    expect(await listed(`client_id=${one.id}`)).toEqual([first, third, fourth]);
    expect(await listed(`client_id=${one.id}&status=active`)).toEqual([first, fourth]);
    expect(await listed(`client_id=${randomUUID()}`)).toEqual([]);
    await org.ask('PATCH', `${TERMINALS}/${first?.id}`, { status: 'inactive' });
    expect((await listed(`client_id=${one.id}&status=inactive`)).map(({ id }) => id)).toEqual([first?.id, third?.id]);
  });

  it.each(['status=ACTIVE', 'client_id=one', 'page=0', 'page_size=201', 'colour=red'])('refuses ?%s', async (query) => {
    const { status, body } = await acme.ask('GET', `${TERMINALS}?${query}`);
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ in: 'query' })]]);
  });
});

it('shows no difference between a terminal of another tenant and none', async () => {
  const client = await rival.create('/api/v1/clients', { name: 'Theirs' });
  const theirs = await rival.create(TERMINALS, { client_id: client.id, name: 'Theirs' });
  await expectNoDifference(404, (id) => acme.ask('GET', `${TERMINALS}/${id}`), theirs.id);
  await expectNoDifference(404, (id) => acme.ask('PATCH', `${TERMINALS}/${id}`, { name: 'Ours' }), theirs.id);
  expect(await rival.read(`${TERMINALS}/${theirs.id}`)).toEqual(theirs);
});
