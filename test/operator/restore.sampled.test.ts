import { createHash, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { JournalReader, RequestSession, Tenant } from '#table';
import { disableIntegration } from '../../operator/integrations.ts';
import { kinds } from '../../operator/kinds.ts';
import { verify } from '../../operator/maintenance/verify/verify.ts';
import { compareTenant, restoreTenant } from '../../operator/restore.ts';
import { resumeOrganization } from '../../operator/suspending.ts';
import { systemClock } from '../../shared/clock.ts';
import type { JsonBody, OrgAccess } from '../support/api.ts';
import { byExtent } from '../support/extent.ts';
import { Crash, FaultyHandler } from '../support/faults.ts';
import { keyMadeBy, loginWith } from '../support/keys.ts';
import { openTenant, tableAt, useTableOver } from '../support/storage.ts';
import { copyOf, dropTable, tableWithKeys } from '../support/table-copy.ts';
import { dumpOf, type RawItem } from '../support/table-dump.ts';
import { callsOf } from '../support/tenant-calls.ts';
import { newTicket } from '../support/tickets.ts';
import { useApi } from '../support/use-api.ts';

/** One organization back from a copy of the table, and nobody else. */

const faulty = new FaultyHandler();
const api = useApi({ authorizerTtlSeconds: 0 });
beforeAll(async () => {
  useFreshClient();
});

const useFreshClient = (): void => useTableOver(faulty);

/** On a clock of its own, which the wait moves on. `meanwhile` happens at each wait. */
function restore(id: string, from: string, meanwhile: () => Promise<unknown> = async () => undefined) {
  let ahead = 0;
  return restoreTenant(id, from, {
    clock: () => systemClock() + ahead,
    pause: async (milliseconds) => {
      await meanwhile();
      ahead += milliseconds;
    },
  });
}

const partitionOf = (item: RawItem): string => item.PK?.S ?? '';

/** The items of an organization by key, without what each write changes, and without histories, which stay. */
function itemsOf(items: readonly RawItem[], { orgId }: OrgAccess, isOne: (partition: string) => boolean) {
  const own = items.filter((item) => {
    const partition = partitionOf(item);
    return partition.startsWith(`ORG#${orgId}#`) && isOne(partition.slice(`ORG#${orgId}#`.length));
  });
  return new Map(
    own.map(
      ({ VERSION: _, WRITE_ID: __, EVENTS: ___, ...item }) => [`${partitionOf(item)} / ${item.SK?.S}`, item] as const,
    ),
  );
}

/** What stays as it is today. */
const isStaying = (name: string): boolean =>
  /^(INTEGRATION|UNIQUE#INTEGRATION|AUDIT_EVENT|EVENT|CREDENTIALS|ORG|QUOTA|READS|REFUSALS|BUDGET|DATA_KEY)(#|$)/.test(
    name,
  );
/** Of those nothing is ever taken away: containers know what they have noted. */
const isNote = (name: string): boolean => name.endsWith('#VALUES');
const isData = (name: string): boolean => !isStaying(name) && !isNote(name);
/** Audit events are added by what is tried out, and by restoring. */
const isKey = (name: string): boolean => /^(INTEGRATION|UNIQUE#INTEGRATION|CREDENTIALS|QUOTA)(#|$)/.test(name);

interface Busy extends OrgAccess {
  readonly clientId: string;
  readonly ticketId: string;
  /** Of a ticket that was created later, and whose last activity is earlier. */
  readonly laterTicketId: string;
  readonly resourceId: string;
}

/** An organization with records of several kinds, children, filters, unique values and counters. */
async function busyOrganization(): Promise<Busy> {
  const org = await api.orgToken('Busy');
  const calls = callsOf(api, org.token);
  const { id: client_id } = await calls.create('/api/v1/clients', { name: 'Bistro', slug: 'bistro', status: 'trial' });
  await calls.create('/api/v1/clients', { name: 'Café', slug: 'cafe' });
  const { id: service_id } = await calls.create('/api/v1/services', { client_id, name: 'Till', type: 'saas' });
  const { id: resourceId } = await calls.create('/api/v1/resources', {
    client_id,
    service_id,
    name: 'db-1',
    type: 'server',
  });
  const ticket = { client_id, subject: 'x', description: 'x', source: 'email', contact_id: randomUUID() };
  const { id: ticketId } = await calls.create('/api/v1/tickets', ticket);
  const { id: laterTicketId } = await calls.create('/api/v1/tickets', ticket);
  await say(org, String(ticketId), 'before');
  return {
    ...org,
    clientId: String(client_id),
    ticketId: String(ticketId),
    laterTicketId: String(laterTicketId),
    resourceId: String(resourceId),
  };
}

const say = (org: OrgAccess, ticketId: string, message: string) =>
  callsOf(api, org.token).create(`/api/v1/tickets/${ticketId}/messages`, {
    message,
    author_type: 'agent',
    author_id: randomUUID(),
  });

/** A bug that changes, deletes and makes records. */
async function damage(org: Busy): Promise<void> {
  const calls = callsOf(api, org.token);
  await calls.ask('PATCH', `/api/v1/clients/${org.clientId}`, { name: 'Nonsense', slug: 'nonsense', status: 'lost' });
  await calls.ask('DELETE', `/api/v1/resources/${org.resourceId}`);
  const headers = { 'idempotency-key': randomUUID() };
  const since = { name: 'Since', slug: 'since', status: 'new-word' };
  const { id: client_id } = (await calls.ask('POST', '/api/v1/clients', since, { headers })).body;
  const ticket = { client_id, subject: 'since', description: 'x', source: 'email', contact_id: randomUUID() };
  await say(org, String((await calls.create('/api/v1/tickets', ticket)).id), 'since');
  await say(org, org.ticketId, 'after');
  await say(org, org.laterTicketId, 'after');
}

const differencesOf = async (org: OrgAccess) =>
  (await verify(Tenant.ofOperator(org.orgId, RequestSession.ofEnvironment(10_000)), kinds, { repair: false }))
    .differences;

describe('an organization that is restored', () => {
  it('has the data of the copy, and others have theirs of today', async () => {
    const [org, other] = [await busyOrganization(), await busyOrganization()];
    const then = await dumpOf(api.table);
    const copy = await copyOf(api.table);
    await Promise.all([damage(org), damage(other)]);
    const path = `/api/v1/clients/${org.clientId}`;
    const tag = (await api.request('GET', path, { token: org.token })).headers.get('etag') ?? '';
    const now = await dumpOf(api.table);

    const compared = await compareTenant(org.orgId, copy);
    expect(compared.records).toMatchObject({
      Client: { brought_back: 0, changed_back: 1, removed: 1 },
      Resource: { brought_back: 1, changed_back: 0, removed: 0 },
      Ticket: { brought_back: 0, changed_back: 2, removed: 1 },
      TicketMessage: { brought_back: 0, changed_back: 0, removed: 3 },
    });
    expect(await dumpOf(api.table)).toEqual(now);

    const { verified, stay_inactive, ...counts } = await restore(org.orgId, copy);
    const { stay_inactive: _, ...expected } = compared;
    expect(counts).toEqual(expected);
    expect([verified.differences, stay_inactive]).toEqual([[], []]);
    const after = await dumpOf(api.table);
    expect(itemsOf(after, org, isData)).toEqual(itemsOf(then, org, isData));
    expect(itemsOf(after, org, isKey)).toEqual(itemsOf(now, org, isKey));
    for (const key of itemsOf(now, org, isNote).keys()) expect([...itemsOf(after, org, isNote).keys()]).toContain(key);
    expect(itemsOf(after, other, () => true)).toEqual(itemsOf(now, other, () => true));
    expect(await differencesOf(org)).toEqual([]);

    expect((await callsOf(api, org.token).ask('GET', '/api/v1/clients')).status).toBe(403);
    await resumeOrganization(org.orgId);
    const calls = callsOf(api, org.token);
    const { data: history } = await calls.read(`${path}/changes`);
    expect(history).toMatchObject([{ changes: { name: { from: 'Bistro', to: 'Nonsense' } } }, { changes: null }]);
    const lost = await calls.read('/api/v1/clients?status=lost');
    const trial = await calls.read('/api/v1/clients?status=trial');
    expect([lost.total, trial.total, trial.data[0]?.name]).toEqual([0, 1, 'Bistro']);
    expect((await calls.ask('GET', `/api/v1/resources/${org.resourceId}`)).status).toBe(200);
    expect((await calls.read(`/api/v1/tickets/${org.ticketId}/messages`)).data).toHaveLength(1);
    const tickets = await calls.read('/api/v1/tickets?sort=-last_activity_at');
    expect([tickets.total, tickets.data.map(({ id }) => id)]).toEqual([2, [org.ticketId, org.laterTicketId]]);
    expect((await calls.ask('PATCH', path, { plan: 'x' }, { headers: { 'if-match': tag } })).status).toBe(412);
    // What was unique since is free again, and numbers go on.
    await calls.create('/api/v1/clients', { name: 'Since', slug: 'since' });
    expect((await calls.read('/api/v1/clients')).total).toBe(3);
    expect(await differencesOf(org)).toEqual([]);
  });

  it('keeps its journal, whose followers begin anew, as those of a restored table do', async () => {
    const org = await api.orgToken();
    const calls = callsOf(api, org.token);
    const copy = await copyOf(api.table);
    await calls.create('/api/v1/clients', { name: 'Since' });
    const journalIn = (tableName: string) =>
      new JournalReader(openTenant(tableAt({ ...api.table, tableName }), org.orgId)).read({
        from: 'oldest',
        limit: 1_000,
      });
    const before = await journalIn(api.table.tableName);
    const { next } = await calls.read('/api/v1/events');
    await restore(org.orgId, copy);
    await resumeOrganization(org.orgId);
    const { status, body } = await calls.ask('GET', `/api/v1/events?after=${next}`);
    expect([status, body.type]).toEqual([410, 'urn:problem-type:custodia:cursor-expired']);
    const [after, copied] = [await journalIn(api.table.tableName), await journalIn(copy)];
    expect(after.events).toEqual(before.events);
    expect(after.events.length).toBeGreaterThan(copied.events.length);
    expect(new Set([before, after, copied].map(({ generation }) => generation)).size).toBe(3);
  });

  it('gives no key back that was cut off since, and takes none that was made since', async () => {
    const org = await api.orgToken();
    const calls = callsOf(api, org.token);
    const leaked = await keyMadeBy(api, calls);
    const rotated = await keyMadeBy(api, calls);
    const copy = await copyOf(api.table);
    await disableIntegration(org.orgId, leaked.appCode);
    const path = `/api/v1/integrations/${rotated.id}/rotate-secret`;
    const { secret } = (await calls.ask('POST', path, { previous_valid_for: 0 })).body;
    const made = await keyMadeBy(api, calls);

    expect((await restore(org.orgId, copy)).stay_inactive).toEqual([leaked.appCode]);
    await resumeOrganization(org.orgId);
    const logins = [
      [leaked.appCode, leaked.secret],
      [rotated.appCode, rotated.secret],
      [rotated.appCode, String(secret)],
      [made.appCode, made.secret],
      [org.appCode, org.secret],
    ] as const;
    const statuses = [];
    for (const [appCode, key] of logins) statuses.push(await loginWith(api, appCode, key));
    expect(statuses).toEqual([401, 401, 200, 200, 200]);
    const { data } = await calls.read(`/api/v1/audit-events?record_id=${leaked.id}`);
    expect(data.map(({ operation }) => operation)).toEqual([
      'login_refused',
      'disableIntegration',
      'createIntegration',
    ]);
    const events = await calls.read(`/api/v1/audit-events?record_id=${org.orgId}`);
    expect(events.data.slice(0, 4).map(({ operation, changed_fields }) => [operation, changed_fields])).toEqual([
      ['resumeOrganization', ['suspended']],
      ['restoreOrganization', ['restored']],
      ['restoreOrganization', ['restoring']],
      ['suspendOrganization', ['suspended']],
    ]);
  });

  it('brings no identity back that was unlinked since, and unlinks those that were linked since', async () => {
    const org = await api.orgToken();
    const { create, ask, read } = callsOf(api, org.token);
    const USERS = '/api/v1/users';
    const providerOf = (name: string) =>
      create('/api/v1/identity-providers', { name, issuer: `https://${name}.example/`, audiences: ['a'] });
    const link = async (user: string, provider: string) =>
      create(`${USERS}/${user}/identities`, { provider_id: provider, subject: randomUUID() });
    const [gone, kept] = [await providerOf('gone'), await providerOf('kept')];
    const newUser = async () => (await create(USERS, { email: `${randomUUID()}@acme.example` })).id;
    const [leaving, staying] = [await newUser(), await newUser()];
    await link(leaving, gone.id);
    const old = await link(staying, kept.id);
    const copy = await copyOf(api.table);
    expect((await ask('POST', `${USERS}/${leaving}/offboard`)).body).toMatchObject({
      removed_identities: 1,
      done: true,
    });
    expect((await ask('DELETE', `/api/v1/identity-providers/${gone.id}`)).status).toBe(204);
    for (const user of [staying, await newUser()]) await link(user, kept.id);

    const records = { Identity: { brought_back: 0, changed_back: 0, removed: 2 } };
    expect(await compareTenant(org.orgId, copy)).toMatchObject({ records });
    expect(await restore(org.orgId, copy)).toMatchObject({ records });
    await resumeOrganization(org.orgId);
    const identitiesOf = async (user: string) => (await read(`${USERS}/${user}/identities`)).data.map(({ id }) => id);
    expect([await identitiesOf(leaving), await identitiesOf(staying)]).toEqual([[], [old.id]]);
    expect(await differencesOf(org)).toEqual([]);
    for (const user of [leaving, staying])
      expect((await ask('POST', `${USERS}/${user}/offboard`)).body).toMatchObject({ done: true });
    expect((await ask('DELETE', `/api/v1/identity-providers/${kept.id}`)).status).toBe(204);
  });

  it('has attachments again that were deleted since, and they can be deleted', async () => {
    const { orgId, token } = await api.orgToken();
    const { create, ask } = callsOf(api, token);
    const path = `/api/v1/tickets/${(await create('/api/v1/tickets', newTicket())).id}/attachments`;
    const sha256 = createHash('sha256').update('hello').digest('hex');
    const file = { name: 'a.txt', media_type: 'text/plain', size: 5, sha256 };
    const { id, upload } = await create(path, file);
    const { url, headers } = upload as { url: string; headers: Record<string, string> };
    expect((await fetch(url, { method: 'PUT', headers, body: 'hello' })).status).toBe(200);
    expect((await ask('POST', `${path}/${id}/complete`)).status).toBe(200);
    const copy = await copyOf(api.table);
    expect((await ask('DELETE', `${path}/${id}`)).status).toBe(204);
    await restore(orgId, copy);
    await resumeOrganization(orgId);
    expect((await ask('DELETE', `${path}/${id}`)).status).toBe(204);
    expect((await ask('GET', '/api/v1/usage')).body.attachments).toMatchObject({ bytes: 0 });
  });

  it('opens tickets for alerts that go on firing, where those of today are gone', async () => {
    const org = await api.orgToken();
    const { ask } = callsOf(api, org.token);
    const fire = async (fingerprint: string) =>
      ((await ask('POST', '/api/v1/alerts/custodia', { fingerprint, status: 'firing' })).body.alerts as JsonBody[])[0];
    const before = await fire('before');
    const copy = await copyOf(api.table);
    const since = await fire('since');
    await restore(org.orgId, copy);
    await resumeOrganization(org.orgId);
    expect(await fire('before')).toMatchObject({ outcome: 'repeated', ticket_id: before?.ticket_id });
    const anew = await fire('since');
    expect(anew?.outcome).toBe('opened');
    expect(anew?.ticket_id).not.toBe(since?.ticket_id);
    expect((await ask('GET', `/api/v1/tickets/${anew?.ticket_id}`)).status).toBe(200);
  });

  it('loses what requests under way have written meanwhile, and is given up where somebody goes on writing', async () => {
    const org = await busyOrganization();
    const then = await dumpOf(api.table);
    const copy = await copyOf(api.table);
    const platform = callsOf(api, await api.platformToken());
    const late = () => platform.create(`/api/v1/clients?org_id=${org.orgId}`, { name: 'Late' });
    await expect(restore(org.orgId, copy, late)).rejects.toThrow(/somebody goes on writing/);
    await expect(resumeOrganization(org.orgId)).rejects.toThrow(/is not finished\. Run custodia restore-tenant again/);
    let count = 0;
    await restore(org.orgId, copy, async () => count++ === 0 && (await late()));
    expect(itemsOf(await dumpOf(api.table), org, isData)).toEqual(itemsOf(then, org, isData));
    expect(await resumeOrganization(org.orgId)).toBe(true);
  });

  it('is interrupted at any call, and finished by the next run', async () => {
    const org = await busyOrganization();
    const then = await dumpOf(api.table);
    const copy = await copyOf(api.table);
    await damage(org);
    faulty.follow(() => undefined);
    await compareTenant(org.orgId, copy);
    const total = 3 * faulty.calls.length;
    let dead = 0;
    for (let index = 1; index < total; index += byExtent({ sample: 661, extended: 165, nightly: 5 })) {
      faulty.follow((call) => (call.index === index ? (index % 2 === 0 ? 'crash' : 'crash-after') : undefined));
      const error = await restore(org.orgId, copy).catch((thrown: unknown) => thrown);
      faulty.follow(() => undefined);
      useFreshClient();
      if (isCrash(error)) dead += 1;
    }
    expect(dead).toBeGreaterThan(1);
    await restore(org.orgId, copy);
    expect(itemsOf(await dumpOf(api.table), org, isData)).toEqual(itemsOf(then, org, isData));
    expect(await differencesOf(org)).toEqual([]);
  });
});

const isCrash = (error: unknown): boolean =>
  error instanceof Crash || (error instanceof Error && error.cause !== undefined && isCrash(error.cause));

describe('a table', () => {
  it.each<[string, () => Promise<string>, RegExp]>([
    ['that is the stage’s own', async () => api.table.tableName, /must be a copy of the table, and not the table/],
    ['that is not there', async () => 'nowhere', /There is no table nowhere, or not yet/],
    ['of other keys', () => tableWithKeys(api.table, 'id', 'at'), /does not have the organization/],
    ['of a time before', () => tableWithKeys(api.table, 'PK', 'SK'), /does not have the organization/],
  ])('%s is refused, and nothing is changed', async (_, make, sentence) => {
    const org = await api.orgToken();
    const from = await make();
    await expect(restore(org.orgId, from)).rejects.toThrow(sentence);
    expect((await callsOf(api, org.token).ask('GET', '/api/v1/clients')).status).toBe(200);
    if (from.startsWith('copy-')) await dropTable(api.table, from);
  });

  it('is of an organization that is there', async () => {
    const id = randomUUID();
    await expect(restore(id, 'any')).rejects.toThrow(`There is no organization ${id}.`);
  });
});
