import { randomUUID } from 'node:crypto';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { configureTable } from '#table';
import type { JsonBody, OrgAccess } from '../support/api.ts';
import { noonOfToday } from '../support/clock.ts';
import { deliver } from '../support/deliver.ts';
import { sampled } from '../support/extent.ts';
import { bodyOf, reply } from '../support/faults.ts';
import { type Key, keyMadeBy } from '../support/keys.ts';
import { type Calls, callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** Reads and changes of credentials leave audit events (`docs/decisions/0071-credentials-of-records.md`). */

/** The SDK's request handler, which records the calls, and on request refuses those that count reads. */
class Wire extends NodeHttpHandler {
  readonly calls: string[] = [];
  refusesCounts = false;

  override async handle(...[request, options]: Parameters<NodeHttpHandler['handle']>) {
    const text = bodyOf(request);
    this.calls.push(
      `${(request.headers['x-amz-target'] ?? '').split('.').at(-1)}${text.includes('#READS') ? ' READS' : ''}`,
    );
    if (!this.refusesCounts || !text.includes('#READS')) return super.handle(request, options);
    return reply(400, { __type: 'com.amazon.coral.service#AccessDeniedException', message: 'denied' });
  }
}

const wire = new Wire();
const api = useApi({ report: () => undefined });
beforeAll(() => configureTable({ ...localConnection(), requestHandler: wire }));
/** Keeps the day from ending meanwhile. */
const NOON = noonOfToday();
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOON }));
afterEach(() => {
  wire.refusesCounts = false;
  vi.useRealTimers();
});

const SECRET = { user: 'root', password: 'sesame-9f2c' };
const auditLogOf = async (by: Calls, query = '') => (await by.read(`/api/v1/audit-events?page_size=200${query}`)).data;
const readsIn = (events: readonly JsonBody[]) => events.filter(({ reads }) => reads !== null).toReversed();

describe.each(
  sampled(
    [
      ['Service', '/api/v1/services', 'getService', 'listServices', { name: 'Shop', type: 'web' }],
      ['Resource', '/api/v1/resources', 'getResource', 'listResources', { name: 'Server', type: 'vm' }],
    ],
    1,
  ),
)('the credentials of a %s', (recordType, path, getting, listing, fields) => {
  const area = path.split('/').at(-1);
  let org: OrgAccess;
  let owner: Calls;
  let reader: Key;
  let client_id: string;
  beforeEach(async () => {
    org = await api.orgToken();
    owner = callsOf(api, org.token);
    client_id = (await owner.create('/api/v1/clients', { name: 'Acme' })).id;
    reader = await keyMadeBy(api, owner, {
      permissions: [`${area}:read`, `${area}:write`, `${area}:credentials`, 'audit:read'],
    });
  });
  /** A record that another caller has created. */
  const make = (credentials: unknown = SECRET) => owner.create(path, { client_id, ...fields, credentials });
  const readsBy = async (by = reader) => readsIn(await auditLogOf(owner, `&actor_id=${by.id}`));

  it('leave an event at the 1st, 2nd, 4th, 8th … read of a day, which says who, what and how often', async () => {
    const { id } = await make();
    for (let count = 0; count < 9; count++) {
      expect((await reader.read(`${path}/${id}`)).credentials).toEqual(SECRET);
    }
    const events = await readsBy();
    expect(events.map(({ reads }) => reads)).toEqual([1, 2, 4, 8]);
    expect(events[0]).toEqual({
      id: expect.any(String),
      occurred_at: expect.any(String),
      operation: getting,
      actor_type: 'integration',
      actor_id: reader.id,
      actor_app_code: expect.stringMatching(/^app-/),
      record_type: recordType,
      record_id: id,
      changed_fields: [],
      failures: null,
      actor_name: null,
      attempted_operation: null,
      reads: 1,
      shown_count: 1,
      shown_ids: [id],
      request_id: expect.any(String),
      source_address: '127.0.0.1',
    });
    expect(JSON.stringify(events)).not.toContain(SECRET.password);
  });

  it('of a page are one event, with how many and the first ten ids', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 12; count++) ids.push((await make()).id);
    await make(null);
    const list = await reader.read(`${path}?page_size=50&sort=created_at`);
    expect(list.total).toBe(13);
    const [event, ...others] = await readsBy();
    expect(others).toEqual([]);
    expect(event).toMatchObject({ operation: listing, record_id: ids[0], reads: 1, shown_count: 12 });
    expect(event?.shown_ids).toEqual(ids.slice(0, 10));
  });

  it('are counted beside the work, in no round trip of their own, and once a request', async () => {
    const { id } = await make();
    for (let count = 0; count < 2; count++) await reader.read(`${path}/${id}`);
    const callsOfRead = async (by: Calls, asked: string) => {
      wire.calls.length = 0;
      await by.read(asked);
      return wire.calls.filter((call) => call !== 'UpdateItem').toSorted();
    };
    expect(await callsOfRead(reader, `${path}/${id}`)).toEqual(['GetItem', 'GetItem', 'Query', 'UpdateItem READS']);
    const blind = await keyMadeBy(api, owner, { permissions: [`${area}:read`] });
    await blind.read(`${path}/${id}`);
    expect(await callsOfRead(blind, `${path}/${id}`)).toEqual(['GetItem', 'GetItem', 'Query']);
  });

  it('leave the event of an empty read to the next one that shows some', async () => {
    const [empty, full] = [await make(null), await make()];
    for (let count = 0; count < 2; count++) await reader.read(`${path}/${empty.id}`);
    expect(await readsBy()).toEqual([]);
    for (let count = 0; count < 2; count++) await reader.read(`${path}/${full.id}`);
    // Of 1 and 2 at the third, of 4 at the fourth.
    expect((await readsBy()).map(({ reads, record_id }) => [reads, record_id])).toEqual([
      [3, full.id],
      [4, full.id],
    ]);
  });

  it('leave one event for each of those numbers, however many read at once', async () => {
    const { id } = await make();
    const responses = await Promise.all(Array.from({ length: 24 }, () => reader.ask('GET', `${path}/${id}`)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const reads = (await readsBy()).map((event) => Number(event.reads));
    expect(reads.length).toBeGreaterThan(0);
    // At most one between a power of two and the next.
    expect(new Set(reads.map((count) => Math.floor(Math.log2(count)))).size).toBe(reads.length);
  });

  it('are not shown, and not changed, when the read cannot be counted', async () => {
    const { id } = await make();
    wire.refusesCounts = true;
    const asked = [
      await reader.ask('GET', `${path}/${id}`),
      await reader.ask('GET', path),
      await reader.ask('PATCH', `${path}/${id}`, { name: 'changed' }),
      await reader.ask('POST', path, { client_id, ...fields, name: 'new', credentials: SECRET }),
    ];
    for (const { status, body, headers } of asked) {
      expect([status, JSON.stringify(body).includes(SECRET.password)]).toEqual([503, false]);
      expect(headers.get('retry-after')).toBe('2');
    }
    wire.refusesCounts = false;
    const { data } = await owner.read(path);
    expect(data.map(({ name }) => name)).toEqual([fields.name]);
  });

  it('are counted by platform callers in the audit log of the organization', async () => {
    const { id } = await make();
    const platform = callsOf(api, await api.platformToken());
    await platform.read(`${path}/${id}?org_id=${org.orgId}`);
    const event = readsIn(await auditLogOf(owner, `&record_id=${id}`)).at(-1);
    expect(event).toMatchObject({ operation: getting, actor_app_code: 'platform', reads: 1 });
  });

  it('are counted where a creation, a change and a repetition show them', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = { client_id, ...fields, credentials: SECRET };
    const { body: first } = await reader.ask('POST', path, body, { headers });
    const { body: again } = await reader.ask('POST', path, body, { headers });
    await reader.ask('PATCH', `${path}/${first.id}`, { name: 'a' });
    await reader.ask('PATCH', `${path}/${first.id}`, { name: 'b' });
    expect(again.credentials).toEqual(SECRET);
    const name = recordType === 'Service' ? 'Service' : 'Resource';
    expect((await readsBy()).map(({ reads, operation }) => [reads, operation])).toEqual([
      [1, `create${name}`],
      [2, `create${name}`],
      [4, `update${name}`],
    ]);
  });

  it('are counted anew on another day, and by a clock that is wrong on its own', async () => {
    const { id } = await make();
    for (const days of [0, 0, 0, 60, 60]) {
      vi.setSystemTime(NOON + days * 86_400_000);
      await callsOf(api, await api.login(reader.appCode, reader.secret)).read(`${path}/${id}`);
    }
    vi.setSystemTime(NOON);
    expect((await readsBy()).map(({ reads }) => reads).toSorted()).toEqual([1, 1, 2, 2]);
  });

  it('leave an event whenever they are set or replaced, in whatever way, and no other field does', async () => {
    const created = await make();
    await owner.ask('PATCH', `${path}/${created.id}`, { name: 'renamed', credentials: SECRET });
    await owner.ask('PATCH', `${path}/${created.id}`, { name: 'again', credentials: { token: 'b' } });
    const data = { id: created.id, credentials: { token: 'c' } };
    expect((await deliver(api, org, { event_type: `${recordType.toLowerCase()}.updated`, data })).status).toBe(200);
    await owner.ask('PATCH', `${path}/${created.id}`, { credentials: null });
    const brought = { client_id, ...fields, credentials: { token: 'd' } };
    await deliver(api, org, { event_type: `${recordType.toLowerCase()}.created`, data: brought });
    await make(null);
    const events = (await auditLogOf(owner)).filter(
      ({ record_type, reads }) => record_type === recordType && reads === null,
    );
    expect(events.toReversed().map(({ operation, changed_fields }) => [operation, changed_fields])).toEqual(
      ['create', 'update', 'update', 'update', 'create'].map((verb) => [`${verb}${recordType}`, ['credentials']]),
    );
  });

  it('in the data of a stored event are counted too', async () => {
    const data = { client_id, ...fields, credentials: SECRET };
    await deliver(api, org, { event_type: `${recordType.toLowerCase()}.created`, data });
    const [event] = (await owner.read('/api/v1/webhook-events')).data;
    const asked = `/api/v1/webhook-events/${event?.id}`;
    const blind = await keyMadeBy(api, owner, { permissions: ['webhooks:read', `${area}:read`] });
    expect((await blind.read(asked)).data).toMatchObject({ credentials: null });
    expect((await owner.read(asked)).data).toMatchObject({ credentials: SECRET });
    const found = (await auditLogOf(owner, `&record_id=${event?.id}`)).map(
      ({ actor_id, record_type, reads, operation }) => [actor_id, record_type, reads, operation],
    );
    expect(found).toEqual([[org.integrationId, 'WebhookEvent', 1, 'getWebhookEvent']]);
    wire.refusesCounts = true;
    expect((await owner.ask('GET', asked)).status).toBe(503);
  });
});
