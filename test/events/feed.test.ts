import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ids } from '@custodia/counted-lists';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PermissionCode } from '#contract';
import { localConnection } from '#local-dynamodb';
import { configureTable, environmentTable, JournalReader, journalEntity } from '#table';
import { cursorOf, readCursor } from '../../functions/events/cursor.ts';
import { embedRecords } from '../../functions/events/embed.ts';
import { kinds } from '../../functions/events/kinds.static.ts';
import { endpointEntity } from '../../functions/events/store.ts';
import { apiDriverOf, later } from '../http/api-driver.ts';
import { altered } from '../support/altered.ts';
import type { ApiResponse, JsonBody, OrgAccess } from '../support/api.ts';
import { keyMadeBy } from '../support/keys.ts';
import { PausingHandler } from '../support/pauses.ts';
import { prepared } from '../support/prepared.ts';
import { operations, TestTenant } from '../support/scenario.ts';
import { doIn, openTenant } from '../support/storage.ts';
import { type Calls, callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** `GET /events`: what it returns, to whom, and from where on. */

const api = useApi({ report: () => undefined, authorizerTtlSeconds: 0 });
const org = prepared(() => api.orgToken());
const mine = prepared(() => apiDriverOf(api, org.token));
const handler = new PausingHandler();
beforeAll(() => configureTable({ ...localConnection(), requestHandler: handler }));
afterEach(() => vi.useRealTimers());

interface Page {
  readonly data: readonly (JsonBody & { readonly record?: JsonBody | null })[];
  readonly next: string;
  readonly more: boolean;
}

const ask = (query = '', token = org.token): Promise<ApiResponse<Page & JsonBody>> =>
  api.request('GET', `/api/v1/events${query}`, { token });
async function page(query = '', token = org.token): Promise<Page> {
  const { status, body } = await ask(query, token);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
}
const latest = async (token = org.token): Promise<string> => (await page('?after=latest', token)).next;
const typesIn = ({ data }: Page) => data.map(({ type }) => type);

const PROBLEM = 'urn:problem-type:custodia:';
const refusal = ({ status, body }: ApiResponse): unknown[] => {
  const [{ pointer, detail } = {}] = (body.errors ?? []) as { pointer?: string; detail?: string }[];
  return [status, String(body.type).replace(PROBLEM, ''), pointer, detail];
};

describe('the feed', () => {
  it('has what happened, in order, with who did it and in which request', async () => {
    const after = await latest();
    const { id } = await mine.client();
    const made = await mine.create('/tickets', {
      contact_id: id,
      subject: 'Help',
      description: '',
      source: 'web',
      client_id: id,
    });
    const path = `/tickets/${made.id}`;
    const message = await mine.create(`${path}/messages`, { author_type: 'agent', author_id: id, message: 'Yes' });
    const changed = await mine.patch(path, { status: 'closed' });
    await mine.remove(path);

    const { data, next, more } = await page(`?after=${after}`);
    const by = { actor_id: org.integrationId, parent_id: null, changed_fields: null };
    const ticket = { record_type: 'Ticket', record_id: made.id };
    expect(data).toMatchObject([
      { type: 'client.created', record_type: 'Client', record_id: id, version: 1, ...by },
      { type: 'ticket.created', ...ticket, version: 1, ...by },
      {
        type: 'ticket_message.created',
        record_type: 'TicketMessage',
        record_id: message.id,
        ...by,
        version: 1,
        parent_id: made.id,
      },
      {
        type: 'ticket.updated',
        ...ticket,
        ...by,
        version: 2,
        changed_fields: ['last_activity_at', 'resolved_at', 'status', 'updated_at'],
        request_id: changed.headers.get('x-request-id'),
      },
      { type: 'ticket.deleted', ...ticket, ...by, version: 3 },
    ]);
    expect(data.map((event) => 'record' in event)).not.toContain(true);
    expect([more, (await page(`?after=${next}`)).data]).toEqual([false, []]);
  });

  it('goes on from each response, to the end, and begins with the oldest event', async () => {
    const all = await page('?limit=200');
    const parts: JsonBody[] = [];
    let [query, more] = ['?limit=2', true];
    while (more) {
      const part = await page(query);
      expect(part.data.length).toBeLessThanOrEqual(2);
      parts.push(...part.data);
      more = part.more;
      query = `?limit=2&after=${part.next}`;
    }
    expect(parts).toEqual(all.data);
    expect(all.data.length).toBeGreaterThan(4);
  });

  it('ends before a change that is under way, and says that there is no more yet', async () => {
    // However slow this machine is, the writer is not overdue.
    later(0);
    const after = await latest();
    const commit = handler.pauseBefore('TransactWriteItems');
    const slow = mine.client();
    await commit.reached;
    const { id } = await mine.client();
    const { data, next, more } = await page(`?after=${after}`);
    expect([data, next, more]).toEqual([[], after, false]);
    commit.release();
    const ids = [(await slow).id, id];
    expect((await page(`?after=${after}`)).data.map(({ record_id }) => record_id)).toEqual(ids);
  });

  it('is not sent again to a reader that has it', async () => {
    const query = `?after=${await latest()}`;
    const { headers } = await ask(query);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    const again = await api.request('GET', `/api/v1/events${query}`, {
      token: org.token,
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
    await mine.client();
    expect((await ask(query)).headers.get('etag')).not.toBe(headers.get('etag'));
  });
});

describe('an event', () => {
  it('is returned only where its type is asked for', async () => {
    const after = await latest();
    const client = await mine.client();
    await mine.patch(`/clients/${client.id}`, { name: 'Other' });
    await mine.service({ client_id: client.id });
    const typesOf = async (types: string) => typesIn(await page(`?after=${after}&types=${types}`));
    expect(await typesOf('client.updated,service.created')).toEqual(['client.updated', 'service.created']);
    expect(await typesOf('ticket.deleted')).toEqual([]);
  });

  it('is seen only with the permission to read its record', async () => {
    const after = await latest();
    const client = await mine.client();
    await mine.service({ client_id: client.id });
    await mine.patch(`/clients/${client.id}`, { name: 'Other' });
    const seenWith = async (...permissions: string[]) => {
      const key = await keyMadeBy(api, callsOf(api, org.token), { permissions });
      return key.read(`/api/v1/events?after=${after}`) as unknown as Promise<Page>;
    };
    expect(typesIn(await seenWith('events:read', 'services:read'))).toEqual(['service.created']);
    // A permission to write includes the one to read.
    expect(typesIn(await seenWith('events:read', 'clients:write'))).toEqual(['client.created', 'client.updated']);
    const none = await seenWith('events:read');
    expect([none.data, none.more]).toEqual([[], false]);
    const key = await keyMadeBy(api, callsOf(api, org.token), { permissions: ['clients:read'] });
    expect((await ask('', key.token)).status).toBe(403);
  });

  it('is in the feed of its own tenant: the platform or an organization', async () => {
    const platform = await api.platformToken();
    const [own, named] = [await latest(platform), (await page(`?after=latest&org_id=${org.orgId}`, platform)).next];
    const client = await mine.client();
    const { data } = await page(`?after=${named}&org_id=${org.orgId}`, platform);
    expect(data.map(({ record_id }) => record_id)).toEqual([client.id]);
    expect((await page(`?after=${own}`, platform)).data).toEqual([]);
    expect(refusal(await ask(`?after=${named}`, platform)).slice(0, 3)).toEqual([400, 'invalid-parameter', '#/after']);
  });
});

const HIDDEN = 1_030;
let other: OrgAccess;

describe('a page', () => {
  beforeAll(async () => {
    other = await api.orgToken();
    const event = {
      type: 'user.updated',
      record_type: 'User',
      version: 2,
      changed_fields: ['name'],
      actor_id: null,
      request_id: null,
    };
    const one = { ...event, occurred_at: new Date().toISOString(), record_id: other.orgId };
    for (let left = HIDDEN; left > 0; left -= 45)
      await doIn(openTenant(environmentTable(), other.orgId), (tenant) =>
        tenant.records(journalEntity).createAll(Array.from({ length: Math.min(45, left) }, () => one)),
      );
  });

  it('comes from at most 1,000 events: it may be empty although there is more', async () => {
    await apiDriverOf(api, other.token).client();
    const key = await keyMadeBy(api, callsOf(api, other.token), { permissions: ['events:read', 'clients:read'] });
    const first = await page('', key.token);
    expect([first.data, first.more]).toEqual([[], true]);
    const second = await page(`?after=${first.next}`, key.token);
    expect([typesIn(second), second.more]).toEqual([['client.created'], false]);
  });
});

describe('the end of the feed', () => {
  it('is found in few queries, however much has just happened', async () => {
    handler.follow(() => undefined);
    const after = await latest(other.token);
    expect(handler.calls.filter((operation) => operation === 'Query').length).toBeLessThan(6);
    expect((await page(`?after=${after}`, other.token)).data).toEqual([]);
  });
});

describe('a request is refused', () => {
  it.each([
    ['after', 'soon'],
    ['after', 'A'.repeat(32)],
    ['after', ''],
    ['limit', '0'],
    ['limit', '201'],
    ['types', ''],
    ['types', 'client'],
    ['types', 'client.created,'],
    ['types', 'client.created, ticket.created'],
    ['types', 'client.removed'],
    ['types', `${'a.b,'.repeat(490)}a.b`],
    ['expand', 'records'],
  ])('with %s=%.40s', async (name, value) => {
    const refused = await ask(`?${name}=${encodeURIComponent(value)}`);
    expect(refusal(refused).slice(0, 3)).toEqual([400, 'invalid-parameter', `#/${name}`]);
  });

  it('with an unknown type, and the response names the nearest one', async () => {
    expect(refusal(await ask('?types=client.created,tickets.updated')).at(-1)).toBe(
      '`tickets.updated` is no type of events; did you mean `ticket.updated`?',
    );
  });

  it('with a cursor of another organization, or an altered one', async () => {
    const other = await api.orgToken();
    const [cursor, own] = [await latest(other.token), await latest()];
    for (const after of [cursor, altered(own), own.toLowerCase()])
      expect(refusal(await ask(`?after=${after}`)).slice(0, 3)).toEqual([400, 'invalid-parameter', '#/after']);
  });

  it('with a cursor of another generation or beyond the end, and the response says how to begin anew', async () => {
    const other = await api.orgToken();
    await apiDriverOf(api, other.token).client();
    const tenant = openTenant(environmentTable(), other.orgId);
    const cursor = await latest(other.token);
    const { generation, next } = readCursor(cursor, tenant.id);
    const at = (number: number) => ask(`?after=${cursorOf(tenant.id, { generation, next: number })}`, other.token);
    const beyond = [await at(next + 1), await at(2 ** 48 - 1)];
    await new JournalReader(tenant).raiseGeneration();
    const ended = await ask(`?after=${cursor}`, other.token);
    for (const refused of [...beyond, ended]) {
      expect(refusal(refused).slice(0, 2)).toEqual([410, 'cursor-expired']);
      expect(refused.body.detail).toMatch(/after=latest/);
    }
    expect((await page(`?after=${await latest(other.token)}`, other.token)).data).toEqual([]);
  });
});

describe('with its record', () => {
  const expanded = async (after: string, calls?: Calls): Promise<Page['data']> =>
    (await page(`?expand=record&after=${after}`, calls?.token)).data;

  it('an event has the record as reading it returns it now', async () => {
    const after = await latest();
    const client = await mine.client({ metadata: { deep: [1e300, { a: null }] } });
    await mine.service({ client_id: client.id, health_status: 'down' });
    await mine.patch(`/clients/${client.id}`, { name: 'Later' });
    const [created, service, updated] = await expanded(after);
    const now = (await mine.get(`/clients/${client.id}`)).body;
    expect([created?.record, updated?.record]).toEqual([now, now]);
    expect(now).toMatchObject({ name: 'Later', has_risks: true, services_count: 1 });
    const { credentials: _, ...shown } = (await mine.get(`/services/${service?.record_id}`)).body;
    expect(service?.record).toEqual(shown);
  });

  it('it never has credentials, whatever its reader may read', async () => {
    const after = await latest();
    const client = await mine.client();
    const service = await mine.service({ client_id: client.id, credentials: { password: 'hunter2' } });
    await mine.resource({ client_id: client.id, service_id: service.id, credentials: { password: 'hunter2' } });
    const events = await expanded(after);
    expect(JSON.stringify(events)).not.toMatch(/hunter2|credentials/);
    expect(events.map(({ record }) => record?.id)).toEqual(events.map(({ record_id }) => record_id));
  });

  it('no event has a record that its reader may not read', async () => {
    const after = readCursor(await latest(), openTenant(environmentTable(), org.orgId).id);
    await mine.client();
    const tenant = openTenant(environmentTable(), org.orgId);
    const { events } = await new JournalReader(tenant).read({ from: after.next, limit: 10 });
    const embedded = (...permissions: PermissionCode[]) => embedRecords(tenant, events, permissions, 1_000_000);
    expect(await embedded('clients:read')).toEqual([expect.objectContaining({ name: expect.any(String) })]);
    expect(await embedded('tickets:read')).toEqual([null]);
  });

  it('an event waits for the record that it tells of', async () => {
    const after = await latest();
    const { id } = await mine.client();
    const { client: table, name: TableName } = environmentTable();
    const Key = { PK: `ORG#${org.orgId}#CLIENT`, SK: ids.sortKeyOf(ids.numberOf(id)) };
    await table.send(
      new UpdateCommand({
        TableName,
        Key,
        UpdateExpression: 'ADD VERSION :less',
        ExpressionAttributeValues: { ':less': -1 },
      }),
    );
    handler.follow(() => undefined);
    await expanded(after);
    expect(handler.calls).toContain('TransactGetItems');
  });

  it('an event has null in place of a deleted record, or of one below it', async () => {
    const after = await latest();
    const ticket = await mine.create('/tickets', {
      contact_id: org.orgId,
      subject: 'Help',
      description: '',
      source: 'web',
    });
    const add = () =>
      mine.create(`/tickets/${ticket.id}/messages`, { author_type: 'agent', author_id: org.orgId, message: 'Yes' });
    const message = await add();
    expect((await expanded(after)).map(({ record }) => record?.id)).toEqual([ticket.id, message.id]);
    await mine.remove(`/tickets/${ticket.id}`);
    expect((await expanded(after)).map(({ record }) => record)).toEqual([null, null, null]);
  });

  it('every kind of record is shown as reading shows it', async () => {
    const reads = kinds.flatMap(({ recordType }) =>
      operations.filter(
        ([, { path, response }]) => path.endsWith('/{id}') && response.schema?.meta()?.id === recordType,
      ),
    );
    const reading = reads.filter(([, { method }]) => method === 'GET');
    expect(reading.length).toBeGreaterThan(8);
    const after = await latest();
    const tenant = new TestTenant(api, org);
    const scenarios = await Promise.all(reading.map(([operationId]) => tenant.scenario(operationId)));
    const events = await expanded(after);
    for (const scenario of scenarios) {
      const { credentials: _, ...fields } = (await tenant.send(scenario)).body;
      const read = Object.fromEntries(
        Object.entries(fields).filter(([field]) => !endpointEntity.elsewhere?.includes(field)),
      );
      const event = events.find(({ record_id }) => record_id === read.id);
      if (scenario.operationId !== 'getOrg') expect(event?.record, scenario.operationId).toEqual(read);
    }
  });
});
