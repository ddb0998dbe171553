import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonBody } from '../support/api.ts';
import { type Calls, newTenant, pointsAt } from '../support/tenant-calls.ts';
import { installation, newMessage, newTicket, TICKETS } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi();
let acme: Calls;
let rival: Calls;

beforeAll(async () => {
  [acme, rival] = await Promise.all([newTenant(api), newTenant(api)]);
});

describe('opening a ticket', () => {
  it('moves the last contact of the client', async () => {
    const { id } = await acme.create('/api/v1/clients', { name: 'Bistro' });
    const ticket = await acme.create(TICKETS, newTicket({ client_id: id }));
    expect(await acme.read(`/api/v1/clients/${id}`)).toMatchObject({ last_contact: ticket.created_at });
  });
});

describe('changing a ticket', () => {
  it('does not ask again for what is already referred to', async () => {
    const { service_id } = await installation(acme);
    const { id } = await acme.create(TICKETS, newTicket({ service_id }));
    expect((await acme.ask('DELETE', `/api/v1/services/${service_id}`)).status).toBe(204);
    const { status, body } = await acme.ask('PATCH', `${TICKETS}/${id}`, { service_id, status: 'closed' });
    expect([status, body.service_id, body.status]).toEqual([200, service_id, 'closed']);
  });

  it('is the last contact of the client that it gets, with its messages, and leaves that of the one before', async () => {
    const [first, second] = [
      await acme.create('/api/v1/clients', { name: 'Bistro' }),
      await acme.create('/api/v1/clients', { name: 'Bar' }),
    ];
    const contacts = () =>
      Promise.all([first, second].map(async ({ id }) => (await acme.read(`/api/v1/clients/${id}`)).last_contact));
    const ticket = await acme.create(TICKETS, newTicket());
    const path = `${TICKETS}/${ticket.id}`;
    await acme.ask('PATCH', path, { client_id: first.id });
    expect(await contacts()).toEqual([ticket.created_at, null]);
    const message = await acme.create(`${path}/messages`, newMessage());
    await acme.ask('PATCH', path, { status: 'pending' });
    expect(await contacts()).toEqual([message.created_at, null]);
    await acme.ask('PATCH', path, { client_id: second.id });
    expect(await contacts()).toEqual([message.created_at, message.created_at]);
    await acme.ask('PATCH', path, { client_id: null });
    const later = await acme.create(`${path}/messages`, newMessage());
    expect(await contacts()).toEqual([message.created_at, message.created_at]);
    await acme.ask('PATCH', path, { client_id: first.id });
    expect(await contacts()).toEqual([later.created_at, message.created_at]);
  });

  it('is no contact of a client where it is refused', async () => {
    const client = await acme.create('/api/v1/clients', { name: 'Bistro' });
    const { ticket_code } = await acme.create(TICKETS, newTicket());
    const refused = await acme.ask('POST', TICKETS, newTicket({ client_id: client.id, ticket_code }));
    const read = await acme.read(`/api/v1/clients/${client.id}`);
    expect([refused.status, read.last_contact]).toEqual([409, null]);
  });

  it('loses no change of 16 at once', async () => {
    const { id } = await acme.create(TICKETS, newTicket());
    const fields = ['subject', 'description', 'assigned_team', 'priority'];
    const changes = Array.from({ length: 16 }, (_, index) => ({ [fields[index % 4] ?? '']: `v${index}` }));
    // Who has no turn in time is told to send it again.
    const made = async (change: object): Promise<number> => {
      const { status, headers } = await acme.ask('PATCH', `${TICKETS}/${id}`, change);
      return status === 409 && headers.has('retry-after') ? made(change) : status;
    };
    expect(await Promise.all(changes.map(made))).toEqual(Array(16).fill(200));
    const etag = (await acme.ask('GET', `${TICKETS}/${id}`)).headers.get('etag');
    expect(etag?.split('.')[0]).toBe('"17');
  });
});

describe('what a ticket refers to', () => {
  const FIELDS = ['service_id', 'resource_id', 'terminal_id'] as const;

  it.each(FIELDS)('is of its client: %s', async (field) => {
    const [own, other] = [await installation(acme), await installation(acme)];
    const { client_id } = own;
    const anotherClients = { [field]: other[field] };
    const refused = await acme.ask('POST', TICKETS, newTicket({ client_id, ...anotherClients }));
    expect([refused.status, refused.body.errors]).toEqual([422, pointsAt(field)]);
    const { id } = await acme.create(TICKETS, newTicket({ client_id, [field]: own[field] }));
    const path = `${TICKETS}/${id}`;
    // By another reference, by another client, and by both.
    expect((await acme.ask('PATCH', path, anotherClients)).body.errors).toEqual(pointsAt(field));
    expect((await acme.ask('PATCH', path, { client_id: other.client_id })).body.errors).toEqual(pointsAt(field));
    expect((await acme.ask('PATCH', path, { client_id: other.client_id, ...anotherClients })).status).toBe(200);
    expect((await acme.ask('PATCH', path, { client_id, [field]: null })).status).toBe(200);
    expect((await acme.ask('PATCH', path, { client_id: null, ...anotherClients })).status).toBe(200);
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
      const responses = await Promise.all([
        acme.ask('DELETE', `/api/v1/${field.replace('_id', 's')}/${made[field]}`),
        ...Array.from({ length: 6 }, () => acme.ask('POST', TICKETS, newTicket({ client_id, [field]: made[field] }))),
      ]);
      expect(responses[0]?.status).toBe(204);
      for (const { status, body } of responses.slice(1)) {
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
    const hidden = ['resource_id', 'terminal_id', 'assigned_team', 'tags', 'custom_fields', 'updated_at'].concat([
      'external_id',
      'last_activity_at',
      'due_at',
      'first_response_at',
      'resolved_at',
      'overdue',
      'merged_into',
      'merged_from',
    ]);
    const shown = Object.fromEntries(Object.entries(made[4] ?? {}).filter(([field]) => !hidden.includes(field)));
    expect(data[0]).toEqual(shown);
    expect(Object.keys(shown)).toHaveLength(12);
  });

  it('shows whole tickets with view=full, on every page', async () => {
    const { data, total } = await org.read(`${TICKETS}?view=full&status=open&page=2&page_size=2`);
    expect([data, total]).toEqual([[made[0]], 3]);
    const refused = await org.ask('GET', `${TICKETS}?view=all`);
    expect([refused.status, refused.body.errors?.[0]?.pointer]).toEqual([400, '#/view']);
  });
});

describe('tickets by their last activity', () => {
  it('are sorted and found by it, which changes and messages move', async () => {
    const org = await newTenant(api);
    const made: JsonBody[] = [];
    for (const status of ['open', 'open', 'closed']) made.push(await org.create(TICKETS, newTicket({ status })));
    const [first, second, third] = made.map(({ id }) => String(id));
    const idsOf = async (query: string) => (await org.read(`${TICKETS}?${query}`)).data.map(({ id }) => id);
    expect(await idsOf('sort=-last_activity_at')).toEqual([third, second, first]);
    const message = await org.create(`${TICKETS}/${first}/messages`, newMessage());
    await org.ask('PATCH', `${TICKETS}/${second}`, { priority: 'high' });
    expect(await idsOf('sort=-last_activity_at')).toEqual([second, first, third]);
    expect(await idsOf('sort=last_activity_at&status=open')).toEqual([first, second]);
    const from = encodeURIComponent(String(message.created_at));
    expect(await idsOf(`last_activity_after=${from}`)).toEqual([second, first]);
    expect(await idsOf(`last_activity_before=${from}&sort=-last_activity_at`)).toEqual([third]);
    expect(await idsOf(`last_activity_after=2026-01-01&last_activity_before=2026-01-01`)).toEqual([]);
    // One is from the time on, the other before it: exactly so below a millisecond, too.
    const just = (decimals: string) => String(message.created_at).replace('Z', `${decimals}Z`);
    for (const [decimals, after, before] of [
      ['000', [second, first], [third]],
      ['0005', [second], [first, third]],
      ['999999', [second], [first, third]],
    ] as const) {
      expect(await idsOf(`last_activity_after=${just(decimals)}&sort=-last_activity_at`)).toEqual(after);
      expect(await idsOf(`last_activity_before=${just(decimals)}&sort=-last_activity_at`)).toEqual(before);
    }
    expect(await idsOf('sort=-updated_at')).toHaveLength(3);
    for (const query of ['sort=custom_fields', 'last_activity_after=yesterday'])
      expect((await org.ask('GET', `${TICKETS}?${query}`)).status).toBe(400);
  });

  it('are changed by a request whose If-Match is right, whatever messages come meanwhile', async () => {
    const opened = await acme.ask('POST', TICKETS, newTicket());
    const path = `${TICKETS}/${opened.body.id}`;
    const headers = { 'if-match': opened.headers.get('etag') ?? '' };
    const [changed, ...said] = await Promise.all([
      acme.ask('PATCH', path, { status: 'closed' }, { headers }),
      ...Array.from({ length: 12 }, () => acme.ask('POST', `${path}/messages`, newMessage())),
    ]);
    expect([changed.status, said.map(({ status }) => status)]).toEqual([200, Array(12).fill(201)]);
    const last =
      said
        .map(({ body }) => String(body.created_at))
        .sort()
        .at(-1) ?? '';
    expect(String((await acme.read(path)).last_activity_at) >= last).toBe(true);
  });
});

describe('ticket codes', () => {
  it('are a sequence without doubles, 64 callers at once', async () => {
    const org = await newTenant(api);
    const made = await Promise.all(Array.from({ length: 64 }, () => org.create(TICKETS, newTicket())));
    expect(made.map((ticket) => ticket.ticket_code).sort()).toEqual(
      Array.from({ length: 64 }, (_, index) => `T-${String(index + 1).padStart(6, '0')}`),
    );
    const page = await org.read(`${TICKETS}?page_size=200`);
    expect([page.total, new Set(page.data.map(({ id }) => id)).size]).toEqual([64, 64]);
  });

  it('given by hand never stand in the way of a generated one', async () => {
    const org = await newTenant(api);
    await org.create(TICKETS, newTicket({ ticket_code: 'T-000003' }));
    await org.create(TICKETS, newTicket({ ticket_code: 'T-000003-2' }));
    const made = [await org.create(TICKETS, newTicket()), await org.create(TICKETS, newTicket())];
    expect(made.map((ticket) => ticket.ticket_code)).toEqual(['T-000003-3', 'T-000004']);
    expect(await org.read(`${TICKETS}?page_size=1`)).toMatchObject({ total: 4 });
  });

  it('are free again when their ticket is gone, and belong to their tenant', async () => {
    const ticket_code = randomUUID();
    const { id } = await acme.create(TICKETS, newTicket({ ticket_code }));
    await rival.create(TICKETS, newTicket({ ticket_code }));
    expect((await acme.ask('DELETE', `${TICKETS}/${id}`)).status).toBe(204);
    expect(await acme.create(TICKETS, newTicket({ ticket_code }))).toMatchObject({ ticket_code });
  });
});
