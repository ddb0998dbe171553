import { randomUUID } from 'node:crypto';
import { type AttributeValue, ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { environmentTable, RequestSession, Tenant } from '#table';
import { messagesOf } from '../../functions/tickets/store.ts';
import { systemClock } from '../../shared/clock.ts';
import type { JsonBody } from '../support/api.ts';
import { aCaller } from '../support/caller.ts';
import { prepared } from '../support/prepared.ts';
import { type Calls, newTenant, pointsAt } from '../support/tenant-calls.ts';
import { installation, newMessage, newTicket, TICKETS } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi();

const acme = prepared(() => newTenant(api));
const rival = prepared(() => newTenant(api));

const say = ({ create }: Calls, ticketId: string, message: string) =>
  create(`${TICKETS}/${ticketId}/messages`, newMessage(message));

describe('messages', () => {
  it('are added and listed in order', async () => {
    const { id } = await acme.create(TICKETS, newTicket());
    const path = `${TICKETS}/${id}/messages`;
    const author_id = randomUUID();
    const first = await acme.ask('POST', path, { author_type: 'agent', author_id, message: 'Hello' });
    expect([first.status, first.body]).toEqual([
      201,
      {
        id: expect.any(String),
        ticket_id: id,
        author_type: 'agent',
        author_id,
        message: 'Hello',
        is_internal: false,
        created_at: expect.any(String),
        edited_at: null,
        removed_at: null,
      },
    ]);
    const second = await acme.create(path, { author_type: 'contact', author_id, message: '…', is_internal: true });
    expect(second).toMatchObject({ is_internal: true });
    const third = await say(acme, id, '\u0000 "quoted" 😀');
    const list = await acme.ask('GET', path);
    expect([list.status, list.body]).toEqual([200, { data: [first.body, second, third] }]);
    expect(list.headers.get('link')).toBeNull();
  });

  it('are listed a few at a time, the newest first where that is asked for', async () => {
    const { id } = await acme.create(TICKETS, newTicket());
    const path = `${TICKETS}/${id}/messages`;
    const ids: string[] = [];
    for (const text of ['1', '2', '3', '4', '5']) ids.push((await say(acme, id, text)).id);
    for (const [sort, wanted] of [
      ['created_at', ids],
      ['-created_at', ids.toReversed()],
    ] as const) {
      const seen: unknown[] = [];
      let next: string | undefined = `${path}?page_size=2&sort=${sort}`;
      for (let pages = 0; next !== undefined && pages < 4; pages++) {
        const { status, body, headers } = await acme.ask('GET', next);
        expect([status, Object.keys(body)]).toEqual([200, ['data']]);
        seen.push(...body.data.map((message) => message.id));
        next = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
      }
      expect([seen, next]).toEqual([wanted, undefined]);
    }
    for (const query of ['page_size=0', 'page_size=1001', 'sort=message', 'page=2', 'q=a', 'message=1'])
      expect([query, (await acme.ask('GET', `${path}?${query}`)).status]).toEqual([query, 400]);
  });

  it('move the activity of the ticket and the contact of its client, not the version', async () => {
    const { client_id } = await installation(acme);
    const opened = await acme.ask('POST', TICKETS, newTicket({ client_id }));
    const path = `${TICKETS}/${opened.body.id}`;
    const message = await say(acme, String(opened.body.id), 'Hello');
    const after = await acme.ask('GET', path);
    const { created_at: said } = message;
    expect(after.body).toEqual({ ...opened.body, last_activity_at: said, first_response_at: said });
    expect(String(message.created_at) > String(opened.body.created_at)).toBe(true);
    expect(await acme.read(`/api/v1/clients/${client_id}`)).toMatchObject({ last_contact: message.created_at });
    const headers = { 'if-match': opened.headers.get('etag') ?? '' };
    expect((await acme.ask('PATCH', path, { status: 'closed' }, { headers })).status).toBe(200);
  });
});

/** All items of a ticket and its children, but for the events of their changes. */
async function traces(ticketId: string): Promise<unknown[]> {
  const { client, tableName } = api.table;
  const found: unknown[] = [];
  let start: Record<string, AttributeValue> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new ScanCommand({ TableName: tableName, ConsistentRead: true, ExclusiveStartKey: start }),
    );
    // Of a deleted record its tombstone stays for a day.
    const left = Items.filter(
      ({ PK, TOMBSTONE }) => TOMBSTONE === undefined && !/#(?:AUDIT_)?EVENT(?:#|$)/.test(PK?.S ?? ''),
    );
    found.push(...left.filter((item) => JSON.stringify(item).includes(ticketId)));
    start = LastEvaluatedKey;
  } while (start !== undefined);
  return found;
}

describe('deleting a ticket', () => {
  it('takes its messages along', async () => {
    const { id } = await acme.create(TICKETS, newTicket());
    await Promise.all(Array.from({ length: 30 }, (_, index) => say(acme, id, `${index}`)));
    expect((await traces(id)).length).toBeGreaterThan(30);
    const { status, body } = await acme.ask('DELETE', `${TICKETS}/${id}`);
    expect([status, body]).toEqual([204, '']);
    for (const [method, path, sent] of [
      ['GET', '', undefined],
      ['PATCH', '', { status: 'closed' }],
      ['DELETE', '', undefined],
      ['GET', '/messages', undefined],
      ['POST', '/messages', newMessage()],
    ] as const) {
      expect((await acme.ask(method, `${TICKETS}/${id}${path}`, sent)).status).toBe(404);
    }
    expect((await acme.ask('DELETE', `/api/v1/trash/${id}`)).status).toBe(204);
    expect(await traces(id)).toEqual([]);
  });

  it('counts once, however many do it at once', async () => {
    const org = await newTenant(api);
    const [{ id }] = [
      await org.create(TICKETS, newTicket({ status: 'closed' })),
      await org.create(TICKETS, newTicket()),
    ];
    const responses = await Promise.all(Array.from({ length: 8 }, () => org.ask('DELETE', `${TICKETS}/${id}`)));
    expect(responses.map(({ status }) => status).sort()).toEqual([204, ...Array(7).fill(404)]);
    expect(await org.read(TICKETS)).toMatchObject({ total: 1 });
    expect(await org.read(`${TICKETS}?status=closed`)).toMatchObject({ total: 0 });
  });

  it('leaves no message behind that came at the same moment', async () => {
    for (let round = 0; round < 3; round++) {
      const { id } = await acme.create(TICKETS, newTicket());
      const responses = await Promise.all(
        Array.from({ length: 21 }, (_, index) =>
          index === 10
            ? acme.ask('DELETE', `${TICKETS}/${id}`)
            : acme.ask('POST', `${TICKETS}/${id}/messages`, newMessage()),
        ),
      );
      const said = responses.filter((_, index) => index !== 10).map(({ status }) => status);
      expect(responses[10]?.status).toBe(204);
      expect(said.every((status) => status === 201 || status === 404)).toBe(true);
      expect((await acme.ask('DELETE', `/api/v1/trash/${id}`)).status).toBe(204);
      expect(await traces(id)).toEqual([]);
    }
  });
});

describe('a message', () => {
  const told = async (fields: JsonBody = {}) => {
    const { id } = await acme.create(TICKETS, newTicket());
    const path = `${TICKETS}/${id}/messages`;
    const message = await acme.create(path, {
      author_type: 'agent',
      author_id: randomUUID(),
      message: 'Hello',
      ...fields,
    });
    return { ticket: `${TICKETS}/${id}`, list: path, path: `${path}/${message.id}`, message };
  };

  it('is read by its own path, which its creation names', async () => {
    const { list, path, message } = await told();
    const made = await acme.ask('POST', list, { author_type: 'agent', author_id: randomUUID(), message: 'There' });
    expect(made.headers.get('location')).toBe(`${list}/${made.body.id}`);
    expect(await acme.read(path)).toEqual(message);
    const other = await told();
    expect((await acme.ask('GET', `${other.list}/${message.id}`)).status).toBe(404);
  });

  it('gets another text and says when, and nothing else of it or its ticket changes', async () => {
    const { ticket, list, path, message } = await told({ is_internal: true });
    const before = await acme.read(ticket);
    const changed = await acme.ask('PATCH', path, { message: 'Hallo' });
    expect([changed.status, changed.body]).toEqual([
      200,
      { ...message, message: 'Hallo', edited_at: expect.any(String) },
    ]);
    expect((await acme.read(list)).data).toEqual([changed.body]);
    expect((await acme.ask('PATCH', path, { message: 'Hallo' })).body).toEqual(changed.body);
    expect(await acme.read(ticket)).toEqual(before);
    for (const fields of [{ is_internal: false }, { author_type: 'customer' }, { edited_at: null }, { message: '' }]) {
      const refused = await acme.ask('PATCH', path, fields);
      expect([refused.status, refused.body.errors]).toEqual([422, pointsAt(Object.keys(fields)[0] ?? '')]);
    }
    const stale = await acme.ask('PATCH', path, { message: 'Hi' }, { headers: { 'if-match': '"1.x"' } });
    expect(stale.status).toBe(412);
  });

  it('that is deleted stays in its place without its text, and can be neither changed nor deleted again', async () => {
    const { list, path, message } = await told();
    expect((await acme.ask('DELETE', path)).status).toBe(204);
    const removed = { ...message, message: 'removed', removed_at: expect.any(String) };
    expect((await acme.read(list)).data).toEqual([removed]);
    expect((await acme.ask('GET', path)).status).toBe(404);
    expect((await acme.ask('PATCH', path, { message: 'Again' })).status).toBe(404);
    expect((await acme.ask('DELETE', path)).status).toBe(404);
  });

  it('leaves events of both, which never have its text', async () => {
    const { path, message } = await told({ message: 'a telling text' });
    await acme.ask('PATCH', path, { message: 'another telling text' });
    await acme.ask('DELETE', path);
    const { data } = await acme.read(`/api/v1/events?record_id=${message.id}`);
    expect(data.map(({ type, changed_fields }) => [type, changed_fields])).toEqual([
      ['ticket_message.created', null],
      ['ticket_message.updated', ['edited_at', 'message']],
      ['ticket_message.deleted', null],
    ]);
    expect(JSON.stringify(data)).not.toContain('telling');
  });

  it('of a deleted ticket, or of another tenant’s, is a 404', async () => {
    const { ticket, path } = await told();
    expect((await rival.ask('PATCH', path, { message: 'x' })).status).toBe(404);
    expect((await rival.ask('DELETE', path)).status).toBe(404);
    await acme.ask('DELETE', ticket);
    for (const [method, body] of [['GET'], ['PATCH', { message: 'x' }], ['DELETE']] as const)
      expect((await acme.ask(method, path, body)).status).toBe(404);
  });

  it('is changed or deleted by one of several at the same time', async () => {
    const { path } = await told();
    const responses = await Promise.all([
      ...['a', 'b', 'c'].map((text) => acme.ask('PATCH', path, { message: text })),
      acme.ask('DELETE', path),
    ]);
    expect(responses.map(({ status }) => status).filter((status) => ![200, 204, 404, 409].includes(status))).toEqual(
      [],
    );
  });
});

// This test is last: those before look through the whole table.
it('messages beyond a thousand follow behind a link', async () => {
  const { id } = await acme.create(TICKETS, newTicket());
  for (let round = 0; round < 35; round++) await storeMessages(id, round, 30);
  const first = await acme.ask('GET', `${TICKETS}/${id}/messages`);
  expect(first.body.data).toHaveLength(1_000);
  const next = /^<(.+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
  const rest = await acme.ask('GET', next);
  expect([rest.body.data.length, rest.headers.get('link')]).toEqual([50, null]);
  const all = [...first.body.data, ...rest.body.data];
  expect(new Set(all.map(({ id }) => id)).size).toBe(1_050);
  // Rounds are sequential; within a round the order is undefined.
  expect(all.map(({ message }) => message)).toEqual(
    Array.from({ length: 1_050 }, (_, index) => String(Math.floor(index / 30))),
  );
});

/** Stores messages in one transaction: a thousand requests would take long. */
async function storeMessages(ticketId: string, round: number, count: number): Promise<void> {
  const session = new RequestSession(environmentTable(), systemClock, Date.now() + 10_000);
  const messages = messagesOf(Tenant.of(aCaller(acme.orgId), session), ticketId);
  for (let index = 0; index < count; index++) {
    await messages.create({
      fields: {
        ticket_id: ticketId,
        author_type: 'agent',
        author_id: randomUUID(),
        message: String(round),
        is_internal: false,
        created_at: session.timestamp,
        edited_at: null,
        removed_at: null,
      },
    });
  }
  await session.commit();
}
