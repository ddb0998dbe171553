import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonBody } from '../support/api.ts';
import { prepared } from '../support/prepared.ts';
import { newMessage, newTicket } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';
import { type ApiDriver, apiDriverOf, pointersOf } from './api-driver.ts';

/** When tickets are due, were first answered, and were closed. */

const HOUR_MS = 3_600_000;
const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();

const api = useApi();
const org = prepared(() => api.orgToken());
let acme: ApiDriver;
let client: string;
const ids: Record<string, string> = {};

beforeAll(async () => {
  acme = apiDriverOf(api, org.token);
  client = (await acme.client()).id;
  // One time: by it alone these two have no order.
  const past = inHours(-2);
  const tickets: Record<string, JsonBody> = {
    late: { due_at: past, client_id: client, assigned_to: randomUUID() },
    lateAndClosed: { due_at: past, status: 'closed', client_id: client },
    later: { due_at: inHours(-1), status: 'pending' },
    inTime: { due_at: inHours(2) },
    never: {},
  };
  for (const [name, fields] of Object.entries(tickets))
    ids[name] = (await acme.create('/tickets', newTicket(fields))).id;
});

const found = async (query: string): Promise<unknown[]> =>
  (await acme.list(`/tickets?${query}`)).ids.map((id) => Object.keys(ids).find((name) => ids[name] === id));

const read = async (name: string) => (await acme.get(`/tickets/${ids[name]}`)).body;

describe('due_at', () => {
  it('makes a ticket overdue when it is past and the ticket is not closed', async () => {
    expect(await found('overdue=true&sort=due_at')).toEqual(['late', 'later']);
    expect(await found('overdue=false')).toEqual(['never', 'inTime', 'lateAndClosed']);
    expect(await found('overdue=true&status=open,closed')).toEqual(['late']);
    expect(await found('sort=overdue,due_at&status=open,pending')).toEqual(['inTime', 'never', 'late', 'later']);
    const counts = (query: string) => acme.get(`/tickets/summary?${query}`).then(({ body }) => body);
    expect(await counts('overdue=true')).toMatchObject({ total: 2 });
    expect(await counts('group_by=overdue')).toEqual({
      data: [
        { value: 'false', count: 3 },
        { value: 'true', count: 2 },
      ],
      total: 5,
    });
    expect(await acme.get(`/clients/${client}/summary`)).toMatchObject({ body: { tickets: { total: 2, overdue: 1 } } });
    const { body } = await acme.get('/tickets?view=full&sort=created_at');
    expect((body.data as JsonBody[]).map(({ overdue }) => overdue)).toEqual([true, false, true, false, false]);
    const { body: events } = await acme.get(`/events?record_id=${ids.late}&expand=record`);
    expect(events.data).toMatchObject([{ record: await read('late') }]);
  });

  it('filters and sorts, as null too', async () => {
    expect(await found(`due_before=${inHours(0)}&sort=-due_at,created_at`)).toEqual(['later', 'late', 'lateAndClosed']);
    expect(await found(`due_after=${inHours(0)}`)).toEqual(['inTime']);
    expect(await found('due_at=null')).toEqual(['never']);
  });

  it('is no field of the page that the specification has', async () => {
    const { body } = await acme.get('/tickets');
    for (const ticket of body.data as JsonBody[]) expect(Object.keys(ticket)).toHaveLength(12);
  });

  it('can be set and taken away, and overdue follows it but cannot be set', async () => {
    const path = `/tickets/${ids.inTime}`;
    expect((await acme.patch(path, { due_at: inHours(-1) })).body).toMatchObject({ overdue: true });
    expect((await acme.patch(path, { due_at: null })).body).toMatchObject({ due_at: null, overdue: false });
    expect((await acme.patch(path, { due_at: inHours(2), overdue: false })).body).toMatchObject({ overdue: false });
    for (const fields of [{ overdue: true }, { resolved_at: inHours(0) }, { first_response_at: inHours(0) }]) {
      const refused = await acme.patch(path, fields);
      expect([refused.status, pointersOf(refused)]).toEqual([422, [`#/${Object.keys(fields)[0]}`]]);
    }
    expect((await acme.patch(path, { due_at: 'tomorrow' })).status).toBe(422);
  });
});

describe('resolved_at', () => {
  it('is the time of the last closing, and none while the ticket is not closed', async () => {
    const closed = await read('lateAndClosed');
    expect(closed.resolved_at).toBe(closed.created_at);
    const path = `/tickets/${ids.later}`;
    const again = async (status: string) => (await acme.patch(path, { status })).body;
    const first = await again('closed');
    expect(first.resolved_at).toBe(first.updated_at);
    expect(await again('closed')).toEqual(first);
    expect((await again('open')).resolved_at).toBeNull();
    expect((await again('pending')).resolved_at).toBeNull();
    const second = await again('closed');
    expect(second.resolved_at).toBe(second.updated_at);
    const { body } = await acme.get(`${path}/changes`);
    expect((body.data as { changes?: JsonBody }[]).map(({ changes }) => Object.keys(changes ?? {}))).toEqual([
      ['resolved_at', 'status'],
      ['status'],
      ['resolved_at', 'status'],
      ['resolved_at', 'status'],
      [],
    ]);
  });
});

describe('first_response_at', () => {
  it('is the time of the first message of an agent that is not internal, of two at once as well', async () => {
    const { id } = await acme.create('/tickets', newTicket());
    ids.answered = id;
    const path = `/tickets/${id}/messages`;
    for (const message of [{ author_type: 'agent', is_internal: true }, { author_type: 'customer' }])
      await acme.create(path, { ...newMessage(), ...message });
    expect(await read('answered')).toMatchObject({ first_response_at: null });
    const answers = await Promise.all([1, 2, 3].map(() => acme.create(path, newMessage())));
    const { first_response_at: first } = await read('answered');
    expect(answers.map(({ created_at }) => created_at)).toContain(first);
    await acme.create(path, newMessage());
    const after = await acme.get(`/tickets/${id}`);
    expect(after.body).toMatchObject({ first_response_at: first });
    // A message is no change of the ticket.
    expect(after.headers.get('etag')).toMatch(/^"1\./);
  });
});
