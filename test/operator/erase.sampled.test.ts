import { randomUUID } from 'node:crypto';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { environmentEncryption, StoredKeyGone } from '#auth';
import { RequestSession, Tenant } from '#table';
import { dataKeyCache } from '#tenancy';
import { countRecords, eraseOrganization, type Receipt } from '../../operator/erase.ts';
import { kinds } from '../../operator/kinds.ts';
import { verify } from '../../operator/maintenance/verify/verify.ts';
import { resumeOrganization, suspendOrganization } from '../../operator/suspending.ts';
import { systemClock } from '../../shared/clock.ts';
import type { OrgAccess } from '../support/api.ts';
import { storedCredentials } from '../support/credentials.ts';
import { deliver } from '../support/deliver.ts';
import { byExtent, sampled } from '../support/extent.ts';
import { bodyOf, Crash, FaultyHandler } from '../support/faults.ts';
import { keyMadeBy, loginWith } from '../support/keys.ts';
import { forgetAppCodes, forgetIds } from '../support/other-container.ts';
import { operations, PLATFORM_ONLY, TestTenant } from '../support/scenario.ts';
import { useTableOver } from '../support/storage.ts';
import { dumpOf, type RawItem } from '../support/table-dump.ts';
import { callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** Erasing an organization. The gateway caches the authorizer's response for an hour. */

const faulty = new FaultyHandler();
const api = useApi({ authorizerTtlSeconds: 3_600 });
beforeAll(async () => {
  useFreshClient();
});

const useFreshClient = (): void => useTableOver(faulty);

/** Erases under a separate clock, which the wait advances. `meanwhile` runs during the first wait. */
function erase(id: string, { sweeps = true, meanwhile = async () => undefined as unknown } = {}): Promise<Receipt> {
  let ahead = 0;
  return eraseOrganization(id, {
    sweeps,
    clock: () => systemClock() + ahead,
    pause: async (milliseconds) => {
      if (ahead === 0) await meanwhile();
      ahead += milliseconds;
    },
  });
}

const handleOf = (org: OrgAccess): Tenant => Tenant.ofOperator(org.orgId, RequestSession.ofEnvironment(10_000));
const countsOf = (org: OrgAccess) => countRecords(handleOf(org));

const textOf = (item: RawItem): string => JSON.stringify(item);
const partitionOf = (item: RawItem): string => item.PK?.S ?? '';
/** The items that name an organization or one of its app codes, anywhere. */
const namingIn = (items: readonly RawItem[], org: Pick<OrgAccess, 'orgId' | 'appCode'>): RawItem[] =>
  items.filter((item) => textOf(item).includes(org.orgId) || textOf(item).includes(org.appCode));

const organizations = async (): Promise<number> =>
  Number((await callsOf(api, await api.platformToken()).read('/api/v1/orgs')).total);

/** What differs between the platform's records and their lists, the one of organizations among them. */
const platformDifferences = async () =>
  (await verify(Tenant.ofOperator('PLATFORM', RequestSession.ofEnvironment(10_000)), kinds, { repair: false }))
    .differences;

/** An organization in which every operation was played, and records have left words behind. */
async function busyOrganization(): Promise<OrgAccess> {
  const org = await api.orgToken('Busy');
  const testTenant = new TestTenant(api, org);
  for (const [id, { method }] of sampled([...operations], 12)) {
    if (method !== 'GET' && !PLATFORM_ONLY.has(id)) await testTenant.send(await testTenant.scenario(id), idempotency());
  }
  return { ...org, token: await api.login(org.appCode, org.secret) };
}
const idempotency = () => ({ 'idempotency-key': randomUUID() });

/**
 * A small organization with a record of each kind that names partitions: children, filters, unique values, deliveries,
 * refusals, alerts.
 */
async function smallOrganization(): Promise<OrgAccess> {
  const org = await api.orgToken('Small');
  const calls = callsOf(api, org.token);
  const { id: client_id } = await calls.create('/api/v1/clients', { name: 'Bistro', slug: 'bistro', status: 'trial' });
  await calls.ask('PATCH', `/api/v1/clients/${client_id}`, { status: 'lost' });
  const ticket = { client_id, subject: 'x', description: 'x', source: 'email', contact_id: randomUUID() };
  const { id } = await calls.create('/api/v1/tickets', ticket);
  await calls.create(`/api/v1/tickets/${id}/messages`, {
    message: 'x',
    author_type: 'agent',
    author_id: randomUUID(),
  });
  await keyMadeBy(api, calls);
  await deliver(api, org, { event_type: 'invoice.paid', data: {} });
  await loginWith(api, org.appCode, 'wrong');
  await calls.ask('POST', '/api/v1/alerts/custodia', { fingerprint: 'db-1', status: 'firing' });
  const [from, to] = [0, 3_600_000].map((later) => new Date(Date.now() - 60_000 + later).toISOString());
  await calls.create('/api/v1/maintenance-windows', { from, to });
  const held = await calls.ask('POST', '/api/v1/alerts/custodia', { fingerprint: 'db-2', status: 'firing' });
  expect(held.body.alerts).toMatchObject([{ outcome: 'held' }]);
  return org;
}

/** Words of every filter whose values callers choose, which records had and have no more. */
const GONE = ['gone-service', 'gone-health', 'gone-resource', 'gone-usage', 'gone-terminal'];
const FORMER = [...GONE, randomUUID(), 'gone.event'];

const FINE = { status: 'active', health_status: 'healthy' };

async function leaveWords(org: OrgAccess): Promise<void> {
  const calls = callsOf(api, org.token);
  const { id: client_id } = await calls.create('/api/v1/clients', { name: 'Bistro' });
  const [service, health, resource, usage, terminal, agent, event = ''] = FORMER;
  const ticket = { subject: 'x', description: 'x', source: 'email', contact_id: randomUUID() };
  const records = [
    ['services', { name: 'x', type: 'web', status: service, health_status: health }, FINE],
    ['resources', { name: 'x', type: 'vm', status: resource, health_status: usage }, FINE],
    ['terminals', { name: 'x', status: terminal }, { status: 'active' }],
    ['tickets', { ...ticket, assigned_to: agent }, { assigned_to: null }],
  ] as const;
  for (const [path, fields, change] of records) {
    const { id } = await calls.create(`/api/v1/${path}`, { client_id, ...fields });
    expect((await calls.ask('PATCH', `/api/v1/${path}/${id}`, change)).status).toBe(200);
  }
  expect((await deliver(api, org, { event_type: event, data: {} })).status).toBe(200);
}

const setsIn = (items: readonly RawItem[], org: OrgAccess): string[] =>
  namingIn(items, org)
    .map(partitionOf)
    .filter((partition) => partition.endsWith('#SET'));

describe('an organization that is erased', () => {
  it('leaves nothing but its receipt, and nobody else loses anything', async () => {
    const [org, other] = [await busyOrganization(), await smallOrganization()];
    const before = { items: await dumpOf(api.table), total: await organizations(), counts: await countsOf(org) };
    const receipt = await erase(org.orgId);
    // Suspending left one more audit event.
    const records = { ...before.counts, AuditEvent: Number(before.counts.AuditEvent) + 1 };
    expect(receipt).toEqual({
      org_id: org.orgId,
      began_at: expect.stringMatching(/Z$/),
      erased_at: expect.stringMatching(/Z$/),
      records,
      swept: true,
      objects: true,
    });
    const after = await dumpOf(api.table);
    expect(namingIn(after, org)).toEqual([
      {
        PK: { S: `SUSPENDED#${org.orgId}` },
        SK: { S: 'STATE' },
        WRITE_ID: expect.anything(),
        state: { S: 'erased' },
        since: { S: receipt.began_at },
        erased_at: { S: receipt.erased_at },
        closed_at: expect.anything(),
        records: expect.anything(),
        swept: { BOOL: true },
      },
    ]);
    const ofOther = (items: readonly RawItem[]) =>
      new Map(namingIn(items, other).map((item) => [`${partitionOf(item)} / ${item.SK?.S}`, item]));
    expect(ofOther(after)).toEqual(ofOther(before.items));
    expect(ofOther(after).size).toBeGreaterThan(40);
    expect(await organizations()).toBe(before.total - 1);
    expect(await platformDifferences()).toEqual([]);
    expect((await callsOf(api, other.token).ask('GET', '/api/v1/clients')).status).toBe(200);
  });

  it('leaves nothing without the sweep either, whatever words its records once had', async () => {
    const org = await smallOrganization();
    await leaveWords(org);
    const sets = setsIn(await dumpOf(api.table), org);
    expect(FORMER.filter((word) => !sets.some((set) => set.includes(`=${word}#`)))).toEqual([]);
    const receipt = await erase(org.orgId, { sweeps: false });
    expect(receipt.swept).toBe(false);
    expect(namingIn(await dumpOf(api.table), org).map(partitionOf)).toEqual([`SUSPENDED#${org.orgId}`]);
    // Done again with it, the receipt is the same.
    expect(await erase(org.orgId)).toEqual({ ...receipt, swept: true });
  });

  it('cannot be reached by anybody: with tokens that are still cached, keys, signatures, by the platform, by a new first key', async () => {
    const org = await smallOrganization();
    await erase(org.orgId);
    const calls = callsOf(api, org.token);
    const platform = callsOf(api, await api.platformToken());
    const client = { name: 'Late' };
    const statuses = [
      await calls.ask('GET', '/api/v1/clients'),
      await calls.ask('POST', '/api/v1/clients', client),
      await deliver(api, org, { event_type: 'client.created', data: client }),
      await platform.ask('GET', `/api/v1/orgs/${org.orgId}`),
      await platform.ask('POST', `/api/v1/clients?org_id=${org.orgId}`, client),
      await platform.ask('POST', '/api/v1/integrations', {
        org_id: org.orgId,
        app_code: 'late-key',
        display_name: 'x',
      }),
      await api.request('POST', '/api/v1/integrations', {
        body: { org_id: org.orgId, app_code: 'late-first-key', display_name: 'x' },
      }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([403, 403, 404, 404, 404, 422, 401]);
    expect(await loginWith(api, org.appCode, org.secret)).toBe(401);
    expect(namingIn(await dumpOf(api.table), org)).toHaveLength(1);
  });

  it('ends with it what is stored of requests of the platform, which cannot repeat them', async () => {
    const platform = callsOf(api, await api.platformToken());
    const [orgKey, integrationKey, clientKey] = [idempotency(), idempotency(), idempotency()];
    const name = `n-${randomUUID()}`;
    const newOrg = () => platform.ask('POST', '/api/v1/orgs', { name }, { headers: orgKey });
    const { id: orgId } = (await newOrg()).body;
    const key = { org_id: orgId, app_code: `key-${randomUUID()}`, display_name: name };
    const newKey = () => platform.ask('POST', '/api/v1/integrations', key, { headers: integrationKey });
    const newClient = () => platform.ask('POST', `/api/v1/clients?org_id=${orgId}`, { name }, { headers: clientKey });
    const requests = [newOrg, newKey, newClient];
    const first = [await newOrg(), await newKey(), await newClient()];
    forgetIds();
    const again = await Promise.all(requests.map((request) => request()));
    expect(again.map(({ status, body }) => [status, body])).toEqual(first.map(({ body }) => [201, body]));
    const org = { orgId: String(orgId), appCode: key.app_code };
    const stored = async () =>
      namingIn(await dumpOf(api.table), org).filter((item) => partitionOf(item).includes('#ONCE#REQUEST#'));
    const texts = (await stored()).map(({ encrypted }) => String(encrypted?.S));
    // By the name of the key alone: nobody who has them decrypts them once the key is gone.
    expect(texts.map((text) => /^2\.\d{4}\.[\w-]+$/.test(text))).toEqual([true, true, true]);

    await erase(org.orgId, { sweeps: false });
    const responses = [];
    for (const request of requests) {
      const known = await request();
      forgetIds();
      responses.push([known.status, (await request()).status]);
      expect(JSON.stringify(known.body)).not.toContain(name);
    }
    expect(responses).toEqual([
      [410, 410],
      [410, 410],
      [404, 404],
    ]);
    const left = namingIn(await dumpOf(api.table), org).filter((item) => partitionOf(item) !== `SUSPENDED#${orgId}`);
    expect(left.map((item) => [partitionOf(item).includes('#ONCE#REQUEST#'), Number(item.TTL?.N) > 0])).toEqual(
      left.map(() => [true, true]),
    );
    const encryption = await environmentEncryption();
    for (const item of left) {
      const { integration_id: by = '' } = (await storedCredentials('platform')) ?? {};
      const place = { tenant: org.orgId, record: `request/${by}/${item.SK?.S}` };
      const cacheOf = (year: string) =>
        dataKeyCache(Tenant.ofOperator(org.orgId, RequestSession.ofEnvironment(10_000)), { name: year });
      await expect(encryption.decrypt(String(item.encrypted?.S), place, cacheOf)).rejects.toThrow(StoredKeyGone);
    }
  });

  it('returns 410 from the moment at which the organization no longer exists, before its data is deleted', async () => {
    const platform = callsOf(api, await api.platformToken());
    const org = await smallOrganization();
    const headers = idempotency();
    const key = { org_id: org.orgId, app_code: `key-${randomUUID()}`, display_name: 'x' };
    const create = () => platform.ask('POST', '/api/v1/integrations', key, { headers });
    expect((await create()).status).toBe(201);
    await suspendOrganization(org.orgId);
    expect((await create()).status).toBe(201);
    const { client, tableName } = api.table;
    const Item = { PK: { S: `SUSPENDED#${org.orgId}` }, SK: { S: 'STATE' }, state: { S: 'erasing' } };
    await client.send(new PutItemCommand({ TableName: tableName, Item }));
    const response = await create();
    expect([response.status, response.body.type]).toEqual([410, 'urn:problem-type:custodia:gone']);
  });

  it('is gone with what requests under way have written while it was erased', async () => {
    const org = await smallOrganization();
    const platform = callsOf(api, await api.platformToken());
    const key = await platform.create('/api/v1/integrations', {
      org_id: org.orgId,
      app_code: `late-${randomUUID()}`,
      display_name: 'x',
    });
    const late = { ...org, appCode: String(key.app_code) };
    const written = [
      `APP#${late.appCode}`,
      `ORG#${org.orgId}#CREDENTIALS`,
      `ORG#${org.orgId}#INTEGRATION`,
      // Of a change that left the word, after its set was deleted.
      `ORG#${org.orgId}#CLIENT#status=trial#SET`,
    ];
    const items = (await dumpOf(api.table)).filter((item) => written.includes(partitionOf(item)));
    expect(new Set(items.map(partitionOf)).size).toBe(4);
    const { client, tableName } = api.table;
    let hasWaited = false;
    await erase(org.orgId, {
      sweeps: false,
      // The last writes of requests that had begun before.
      meanwhile: async () => {
        hasWaited = true;
        await Promise.all(items.map((Item) => client.send(new PutItemCommand({ TableName: tableName, Item }))));
      },
    });
    expect(hasWaited).toBe(true);
    const left = namingIn(await dumpOf(api.table), late).map(partitionOf);
    expect(left).toEqual([`SUSPENDED#${org.orgId}`]);
  });

  it('takes no app code with it that is another’s, whatever its records say, and leaves its own to others', async () => {
    const [org, other] = [await smallOrganization(), await smallOrganization()];
    await api.login(org.appCode, org.secret);
    const { client, tableName } = api.table;
    const record = (await dumpOf(api.table)).find(
      (item) => partitionOf(item) === `ORG#${org.orgId}#INTEGRATION` && item.app_code?.S === org.appCode,
    );
    const Item = { ...record, SK: { S: 'fffffffffff0' }, app_code: { S: other.appCode } };
    await client.send(new PutItemCommand({ TableName: tableName, Item }));
    const sent = vi.spyOn(faulty, 'handle');
    await erase(org.orgId, { sweeps: false });
    const deleted = sent.mock.calls.flatMap(([request]) =>
      String(request.headers['x-amz-target']).endsWith('.DeleteItem') ? [JSON.parse(bodyOf(request)).Key.PK.S] : [],
    );
    // Were the pointer gone first, a container that knows it would go on with it when the code is another's.
    expect(deleted.slice(0, 2)).toEqual([`ORG#${org.orgId}#CREDENTIALS`, `APP#${org.appCode}`]);
    // This process still knows whose the code was.
    const body = { app_code: org.appCode, display_name: 'New' };
    const { secret } = (await api.request('POST', '/api/v1/integrations', { token: other.token, body })).body;
    expect(await loginWith(api, org.appCode, String(secret))).toBe(200);
    // And another one would have to look whose the other is.
    await forgetAppCodes();
    expect(await loginWith(api, other.appCode, other.secret)).toBe(200);
  });

  it('stays so: the same receipt again, and neither suspended nor resumed', async () => {
    const org = await smallOrganization();
    const receipt = await erase(org.orgId);
    expect(await erase(org.orgId)).toEqual(receipt);
    expect(await suspendOrganization(org.orgId)).toMatchObject({ state: 'erased', changed: false });
    await expect(resumeOrganization(org.orgId)).rejects.toThrow(/cannot be resumed: it is erased\./);
  });

  it('leaves nothing of what its callers were refused later, when it is run again', async () => {
    const org = await smallOrganization();
    const receipt = await erase(org.orgId);
    const refused = await callsOf(api, org.token).ask('POST', '/api/v1/clients', { name: 'x' });
    expect(refused.status).toBe(403);
    expect(namingIn(await dumpOf(api.table), org).length).toBeGreaterThan(1);
    expect(await erase(org.orgId)).toEqual(receipt);
    expect(namingIn(await dumpOf(api.table), org)).toHaveLength(1);
  });

  it('is not one that never was', async () => {
    const id = randomUUID();
    await expect(erase(id)).rejects.toThrow(`There is no organization ${id}.`);
    expect((await dumpOf(api.table)).filter((item) => textOf(item).includes(id))).toEqual([]);
  });
});

/** Every so many calls the process dies before one, or after one. */
const STEP = byExtent({ sample: 300, extended: 83, nightly: 1 });

describe('an erasure that is interrupted', () => {
  it('at any call has cut off all keys before anything is gone, and is finished by the next run', async () => {
    const total = await callsOfErasure();
    expect(total).toBeGreaterThan(60);
    let dead = 0;
    for (let index = 1; index < total; index += STEP) {
      const org = await smallOrganization();
      const counts = await countsOf(org);
      const before = await itemsOf(org);
      faulty.follow((call) => (call.index === index ? (index % 2 === 0 ? 'crash' : 'crash-after') : undefined));
      const error = await erase(org.orgId).catch((thrown: unknown) => thrown);
      faulty.follow(() => undefined);
      useFreshClient();
      expect(isCrash(error), `call ${index}: ${error}`).toBe(true);
      dead += 1;
      if ((await itemsOf(org)) < before) await expectUnreachable(org);
      const receipt = await erase(org.orgId);
      expect(receipt.records, `call ${index}`).toMatchObject({ Client: counts.Client, Ticket: counts.Ticket });
      expect(namingIn(await dumpOf(api.table), org), `call ${index}`).toHaveLength(1);
    }
    expect(dead).toBeGreaterThan(1);
    expect(await platformDifferences()).toEqual([]);
  });

  /** How many calls one takes. */
  async function callsOfErasure(): Promise<number> {
    const org = await smallOrganization();
    faulty.follow(() => undefined);
    await erase(org.orgId);
    return faulty.calls.length;
  }

  const itemsOf = async (org: OrgAccess): Promise<number> =>
    (await dumpOf(api.table)).filter((item) => partitionOf(item).startsWith(`ORG#${org.orgId}#`)).length;

  /**
   * The organization's own callers are refused, whatever they have; and so is the platform as soon as it is not only
   * suspended.
   */
  async function expectUnreachable(org: OrgAccess): Promise<void> {
    const platform = callsOf(api, await api.platformToken());
    const refused = [
      (await callsOf(api, org.token).ask('POST', '/api/v1/clients', { name: 'x' })).status,
      await loginWith(api, org.appCode, org.secret),
      (await deliver(api, org, { event_type: 'client.created', data: { name: 'x' } })).status,
      (await platform.ask('POST', `/api/v1/clients?org_id=${org.orgId}`, { name: 'x' })).status,
    ];
    for (const status of refused) expect([401, 403, 404]).toContain(status);
  }

  const isCrash = (error: unknown): boolean =>
    error instanceof Crash || (error instanceof Error && error.cause !== undefined && isCrash(error.cause));
});
