import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type JsonBody, startApi } from '../support/api.ts';
import { type Calls, expectNoDifference, newTenant, pointsAt } from '../support/tenant-calls.ts';
import { installation, newMessage, newTicket, TICKETS } from '../support/tickets.ts';

let api: Api;
let acme: Calls;
let rival: Calls;

beforeAll(async () => {
  api = await startApi();
  [acme, rival] = await Promise.all([newTenant(api), newTenant(api)]);
});
afterAll(() => api.close());

describe('opening a ticket', () => {
  it('fills in what was not given', async () => {
    const body = newTicket();
    const answer = await acme.ask('POST', TICKETS, body);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      ...body,
      id: expect.any(String),
      ticket_code: expect.stringMatching(/^T-\d{6}$/),
      status: 'open',
      priority: 'normal',
      client_id: null,
      service_id: null,
      resource_id: null,
      terminal_id: null,
      assigned_to: null,
      assigned_team: null,
      tags: null,
      custom_fields: null,
      created_at: expect.any(String),
      updated_at: answer.body.created_at,
      last_activity_at: answer.body.created_at,
    });
    expect(answer.headers.get('location')).toBe(`${TICKETS}/${answer.body.id}`);
    expect(await acme.read(`${TICKETS}/${answer.body.id}`)).toEqual(answer.body);
  });

  it('keeps every field that was given', async () => {
    const body = {
      ...newTicket(await installation(acme)),
      ticket_code: 'Desk/2026 #1',
      status: 'pending',
      priority: 'very-high',
      assigned_to: randomUUID(),
      assigned_team: 'field-support',
      tags: ['hardware', 'ümlaut'],
      custom_fields: { big: 1e300, nested: [{ a: [null, false] }], 'a/b~c': '' },
    };
    const ticket = await acme.create(TICKETS, newTicket(body));
    expect(ticket).toMatchObject(body);
    expect(await acme.read(`${TICKETS}/${ticket.id}`)).toEqual(ticket);
  });

  it('takes a custom object to the letter', async () => {
    const raw = JSON.stringify(newTicket()).replace(/}$/, ',"custom_fields":{"__proto__":{"a":1},"lone":"\\ud800"}}');
    const answer = await acme.ask('POST', TICKETS, undefined, { raw, headers: { 'content-type': 'application/json' } });
    expect(answer.status).toBe(201);
    const stored = await acme.read(`${TICKETS}/${answer.body.id}`);
    expect(JSON.stringify(stored.custom_fields)).toBe('{"__proto__":{"a":1},"lone":"\\ud800"}');
  });

  it.each([
    ['a missing contact', { contact_id: undefined }, 'contact_id'],
    ['a missing subject', { subject: undefined }, 'subject'],
    ['a blank subject', { subject: '  ' }, 'subject'],
    ['a missing description', { description: undefined }, 'description'],
    ['a missing source', { source: undefined }, 'source'],
    ['a status that is none', { status: 'done' }, 'status'],
    ['a null status', { status: null }, 'status'],
    ['a priority of two words', { priority: 'Very high' }, 'priority'],
    ['a contact that is no UUID', { contact_id: '42' }, 'contact_id'],
    ['a client that is no UUID', { client_id: 'acme' }, 'client_id'],
    ['a numeric code', { ticket_code: 7 }, 'ticket_code'],
    ['a blank code', { ticket_code: ' ' }, 'ticket_code'],
    ['a code of 101 characters', { ticket_code: 'x'.repeat(101) }, 'ticket_code'],
    ['a description of 20,001 characters', { description: 'x'.repeat(20_001) }, 'description'],
    ['tags that are no list', { tags: 'hardware' }, 'tags'],
    ['a list as custom fields', { custom_fields: [] }, 'custom_fields'],
    ['an unknown field', { colour: 'red' }, 'colour'],
  ])('refuses %s', async (_, fields, field) => {
    const { status, body } = await acme.ask('POST', TICKETS, newTicket(fields));
    expect([status, body.errors]).toEqual([422, pointsAt(field)]);
  });

  it('moves the last contact of the client', async () => {
    const { id } = await acme.create('/api/v1/clients', { name: 'Bistro' });
    const ticket = await acme.create(TICKETS, newTicket({ client_id: id }));
    expect(await acme.read(`/api/v1/clients/${id}`)).toMatchObject({ last_contact: ticket.created_at });
  });
});

describe('changing a ticket', () => {
  it('changes the fields sent and the times', async () => {
    const before = await acme.create(TICKETS, newTicket());
    const changes = { status: 'closed', assigned_to: randomUUID(), custom_fields: { done: true } };
    const { status, body } = await acme.ask('PATCH', `${TICKETS}/${before.id}`, changes);
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, ...changes, updated_at: expect.any(String), last_activity_at: body.updated_at });
    expect(String(body.updated_at) > String(before.updated_at)).toBe(true);
    expect(await acme.read(`${TICKETS}/${before.id}`)).toEqual(body);
  });

  it('changes nothing when nothing differs', async () => {
    const before = await acme.ask('POST', TICKETS, newTicket({ custom_fields: { a: { b: [1] } } }));
    const { id, status: state, custom_fields } = before.body;
    for (const body of [{}, { status: state, custom_fields }, before.body]) {
      const after = await acme.ask('PATCH', `${TICKETS}/${id}`, body);
      expect([after.status, after.body]).toEqual([200, before.body]);
      expect(after.headers.get('etag')).toBe(before.headers.get('etag'));
    }
  });

  it('does not ask again for what is already referred to', async () => {
    const { service_id } = await installation(acme);
    const { id } = await acme.create(TICKETS, newTicket({ service_id }));
    expect((await acme.ask('DELETE', `/api/v1/services/${service_id}`)).status).toBe(204);
    const { status, body } = await acme.ask('PATCH', `${TICKETS}/${id}`, { service_id, status: 'closed' });
    expect([status, body.service_id, body.status]).toEqual([200, service_id, 'closed']);
  });

  it('leaves the last contact of the client alone', async () => {
    const client = await acme.create('/api/v1/clients', { name: 'Bistro' });
    const { id } = await acme.create(TICKETS, newTicket());
    await acme.ask('PATCH', `${TICKETS}/${id}`, { client_id: client.id });
    expect(await acme.read(`/api/v1/clients/${client.id}`)).toMatchObject({ last_contact: null });
  });

  it('holds to If-Match', async () => {
    const created = await acme.ask('POST', TICKETS, newTicket());
    const headers = { 'if-match': created.headers.get('etag') ?? '' };
    const path = `${TICKETS}/${created.body.id}`;
    const first = await acme.ask('PATCH', path, { status: 'pending' }, { headers });
    expect(first.status).toBe(200);
    expect((await acme.ask('PATCH', path, { status: 'closed' }, { headers })).status).toBe(412);
    expect((await acme.ask('DELETE', path, undefined, { headers })).status).toBe(412);
    expect(await acme.read(path)).toEqual(first.body);
  });

  it.each([
    ['a status that is none', { status: 'done' }, 'status'],
    ['no subject', { subject: null }, 'subject'],
    ['an unknown field', { colour: 'red' }, 'colour'],
  ])('refuses %s', async (_, changes, field) => {
    const { id } = await acme.create(TICKETS, newTicket());
    const { status, body } = await acme.ask('PATCH', `${TICKETS}/${id}`, changes);
    expect([status, body.errors]).toEqual([422, pointsAt(field)]);
  });

  it('loses no change of 16 at once', async () => {
    const { id } = await acme.create(TICKETS, newTicket());
    const fields = ['subject', 'description', 'assigned_team', 'priority'];
    const changes = Array.from({ length: 16 }, (_, index) => ({ [fields[index % 4] ?? '']: `v${index}` }));
    const answers = await Promise.all(changes.map((change) => acme.ask('PATCH', `${TICKETS}/${id}`, change)));
    expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200));
    const etag = (await acme.ask('GET', `${TICKETS}/${id}`)).headers.get('etag');
    expect(etag?.split('.')[0]).toBe('"17');
  });
});

describe('what a ticket refers to', () => {
  const FIELDS = ['service_id', 'resource_id', 'terminal_id'] as const;

  it.each(FIELDS)('is of its client: %s', async (field) => {
    const [own, other] = [await installation(acme), await installation(acme)];
    const { client_id } = own;
    const foreign = { [field]: other[field] };
    const refused = await acme.ask('POST', TICKETS, newTicket({ client_id, ...foreign }));
    expect([refused.status, refused.body.errors]).toEqual([422, pointsAt(field)]);
    const { id } = await acme.create(TICKETS, newTicket({ client_id, [field]: own[field] }));
    const path = `${TICKETS}/${id}`;
    // By another reference, by another client, and by both.
    expect((await acme.ask('PATCH', path, foreign)).body.errors).toEqual(pointsAt(field));
    expect((await acme.ask('PATCH', path, { client_id: other.client_id })).body.errors).toEqual(pointsAt(field));
    expect((await acme.ask('PATCH', path, { client_id: other.client_id, ...foreign })).status).toBe(200);
    expect((await acme.ask('PATCH', path, { client_id, [field]: null })).status).toBe(200);
    expect((await acme.ask('PATCH', path, { client_id: null, ...foreign })).status).toBe(200);
  });

  it('is kept when it is deleted, as history', async () => {
    const { client_id, service_id, resource_id } = await installation(acme);
    const ticket = await acme.create(TICKETS, newTicket({ client_id, service_id, resource_id }));
    const path = `${TICKETS}/${ticket.id}`;
    for (const gone of [`services/${service_id}`, `resources/${resource_id}`]) {
      expect((await acme.ask('DELETE', `/api/v1/${gone}`)).status).toBe(204);
    }
    expect(await acme.read(path)).toEqual(ticket);
    expect((await acme.ask('PATCH', path, { ...ticket, subject: 'Still dark' })).body).toMatchObject({
      subject: 'Still dark',
      service_id,
      resource_id,
    });
    const again = await acme.ask('POST', TICKETS, newTicket({ client_id, service_id, resource_id }));
    expect([again.status, again.body.errors]).toEqual([422, pointsAt('service_id')]);
  });

  it('was there when it was named, also where it is deleted at the same time', async () => {
    for (const field of ['service_id', 'resource_id'] as const) {
      const made = await installation(acme);
      const { client_id } = made;
      const answers = await Promise.all([
        acme.ask('DELETE', `/api/v1/${field.replace('_id', 's')}/${made[field]}`),
        ...Array.from({ length: 6 }, () => acme.ask('POST', TICKETS, newTicket({ client_id, [field]: made[field] }))),
      ]);
      expect(answers[0]?.status).toBe(204);
      for (const { status, body } of answers.slice(1)) {
        if (status === 422) expect(body.errors).toEqual(pointsAt(field));
        else expect([status, body[field]]).toEqual([201, made[field]]);
      }
    }
  });
});

describe('listing tickets', () => {
  let org: Calls;
  const made: JsonBody[] = [];
  beforeAll(async () => {
    org = await newTenant(api);
    for (const status of ['open', 'closed', 'pending', 'open', 'open'])
      made.push(await org.create(TICKETS, newTicket({ status })));
  });

  it('shows exactly the fields of the spec, newest first', async () => {
    const { data, ...rest } = await org.read(TICKETS);
    expect(rest).toEqual({ page: 1, page_size: 25, total: 5 });
    expect(data.map(({ id }) => id)).toEqual(made.map(({ id }) => id).reverse());
    const { resource_id, terminal_id, assigned_team, tags, custom_fields, updated_at, last_activity_at, ...shown } =
      made[4] ?? {};
    expect(data[0]).toEqual(shown);
    expect(Object.keys(shown)).toHaveLength(12);
  });

  it('goes by pages', async () => {
    const { body, headers } = await org.ask('GET', `${TICKETS}?page=2&page_size=2&sort=created_at`);
    expect(body).toMatchObject({ page: 2, page_size: 2, total: 5 });
    expect(body.data.map(({ id }) => id)).toEqual([made[2]?.id, made[3]?.id]);
    const link = (page: number, relation: string) =>
      `<${TICKETS}?page_size=2&sort=created_at&page=${page}>; rel="${relation}"`;
    expect(headers.get('link')?.split(', ')).toEqual([
      link(1, 'first'),
      link(1, 'prev'),
      link(3, 'next'),
      link(3, 'last'),
    ]);
    expect(await org.read(`${TICKETS}?page=4&page_size=2`)).toMatchObject({ data: [], total: 5 });
  });

  it('filters by status, and follows a change', async () => {
    const { id } = made[0] ?? {};
    expect(await org.read(`${TICKETS}?status=open`)).toMatchObject({ total: 3 });
    await org.ask('PATCH', `${TICKETS}/${id}`, { status: 'pending' });
    const pending = await org.read(`${TICKETS}?status=pending`);
    expect([pending.total, pending.data.map((ticket) => ticket.id)]).toEqual([2, [made[2]?.id, id]]);
    expect(await org.read(`${TICKETS}?status=open`)).toMatchObject({ total: 2 });
  });

  it('filters by client and by assignee, in any combination, and follows a change', async () => {
    const team = await newTenant(api);
    const [one, other] = [await installation(team), await installation(team)];
    const [ines, rui] = [randomUUID(), randomUUID()];
    const cases = [
      { client_id: one.client_id, assigned_to: ines, status: 'open' },
      { client_id: one.client_id, assigned_to: rui, status: 'closed' },
      { client_id: other.client_id, assigned_to: ines, status: 'closed' },
      { client_id: null, assigned_to: ines, status: 'open' },
      { client_id: one.client_id, assigned_to: null, status: 'open' },
    ];
    const ids: string[] = [];
    for (const fields of cases) ids.push((await team.create(TICKETS, newTicket(fields))).id);
    const expectAll = async () => {
      const client = [undefined, one.client_id, other.client_id];
      const who = [undefined, ines, rui];
      for (const client_id of client)
        for (const assigned_to of who)
          for (const status of [undefined, 'open', 'closed']) {
            const wanted = Object.entries({ client_id, assigned_to, status }).filter(
              ([, value]) => value !== undefined,
            );
            const expected = ids.filter((_, index) =>
              wanted.every(([field, value]) => cases[index]?.[field as 'status'] === value),
            );
            const query = wanted.map(([field, value]) => `${field}=${value}`).join('&');
            const { data, total } = await team.read(`${TICKETS}?${query}&sort=created_at`);
            expect([query, total, data.map(({ id }) => id)]).toEqual([query, expected.length, expected]);
          }
    };
    await expectAll();
    const moved = { client_id: other.client_id, assigned_to: rui, status: 'closed' };
    expect((await team.ask('PATCH', `${TICKETS}/${ids[0]}`, moved)).status).toBe(200);
    Object.assign(cases[0] ?? {}, moved);
    expect((await team.ask('DELETE', `${TICKETS}/${ids[2]}`)).status).toBe(204);
    ids.splice(2, 1);
    cases.splice(2, 1);
    await expectAll();
  });

  it.each([
    'client_id=acme',
    'assigned_to=ines',
    'status=done',
    'page=0',
    'page_size=201',
    'page_size=ten',
    'sort=subject',
    'colour=red',
  ])('refuses ?%s', async (query) => {
    const { status, body } = await org.ask('GET', `${TICKETS}?${query}`);
    const [field] = query.split('=');
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ in: 'query', pointer: `#/${field}` })]]);
  });
});

describe('a ticket of another tenant', () => {
  it('is no different from one that is missing', async () => {
    const theirs = await rival.create(TICKETS, newTicket());
    for (const [method, path, sent] of [
      ['GET', '', undefined],
      ['PATCH', '', { status: 'closed' }],
      ['DELETE', '', undefined],
      ['GET', '/messages', undefined],
      ['POST', '/messages', newMessage()],
    ] as const) {
      await expectNoDifference(404, (id) => acme.ask(method, `${TICKETS}/${id}${path}`, sent), theirs.id);
    }
    expect(await rival.read(`${TICKETS}/${theirs.id}`)).toEqual(theirs);
  });

  it('answers 400 to an id that is none', async () => {
    const { status, body } = await acme.ask('GET', `${TICKETS}/42`);
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ in: 'path', pointer: '#/id' })]]);
  });
});

it('needs a token', async () => {
  expect((await api.request('GET', TICKETS)).status).toBe(401);
});
