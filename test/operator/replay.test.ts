import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ids } from '@custodia/counted-lists';
import { describe, expect, it } from 'vitest';
import { replayEvent } from '../../operator/replay.ts';
import { suspendOrganization } from '../../operator/suspending.ts';
import type { OrgAccess } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { prepared } from '../support/prepared.ts';
import { tableAt } from '../support/storage.ts';
import { callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** Applying stored webhook events again. */

const api = useApi();
const org = prepared(() => api.orgToken());
const calls = prepared(() => callsOf(api, org.token));

/** Delivers an event, and gives the id under which it is stored. */
async function stored(event_type: string, data: object, by: OrgAccess = org): Promise<string> {
  const eventId = randomUUID();
  const { status, body } = await deliver(api, by, { event_type, data }, { eventId });
  expect(status, JSON.stringify(body)).toBe(200);
  const { data: events } = await callsOf(api, by.token).read('/api/v1/webhook-events');
  return String(events.find(({ event_id }) => event_id === eventId)?.id);
}

/** Has a stored event look as if its type had had no effect when it came: in a later release it has one. */
async function storedBefore(event_type: string, data: object, by: OrgAccess = org): Promise<string> {
  const id = await stored('test.unknown', data, by);
  const { client, name } = tableAt(api.table);
  await client.send(
    new UpdateCommand({
      TableName: name,
      Key: { PK: `ORG#${by.orgId}#WEBHOOK_EVENT`, SK: ids.sortKeyOf(ids.numberOf(id)) },
      UpdateExpression: 'SET event_type = :type',
      ExpressionAttributeValues: { ':type': event_type },
    }),
  );
  return id;
}

const eventAt = (id: string) => calls.read(`/api/v1/webhook-events/${id}`);
const clientsNamed = async (name: string) =>
  (await calls.read('/api/v1/clients?page_size=100')).data.filter((client) => client.name === name);

describe('a stored event', () => {
  it('that had no effect is applied, once, and says so', async () => {
    const id = await storedBefore('client.created', { name: 'Later' });
    const outcome = await replayEvent(org.orgId, id, false);
    const [client, ...more] = await clientsNamed('Later');
    expect([outcome, more]).toEqual([{ operation: 'createClient', recordId: client?.id, ignored: [] }, []]);
    expect(await eventAt(id)).toMatchObject({ outcome: 'applied', operation: 'createClient', record_id: client?.id });
    expect(await replayEvent(org.orgId, id, false)).toEqual({
      reason: `It was applied already, by createClient to ${client?.id}.`,
    });
    expect(await clientsNamed('Later')).toHaveLength(1);
  });

  it('is applied by one of several who try at once', async () => {
    const id = await storedBefore('client.created', { name: 'At once' });
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => replayEvent(org.orgId, id, false)));
    expect(outcomes.filter((outcome) => 'operation' in outcome)).toHaveLength(1);
    expect(await clientsNamed('At once')).toHaveLength(1);
  });

  it('that was applied is applied once more if asked to: what others have changed since is as it says', async () => {
    const { id } = await calls.create('/api/v1/clients', { name: 'Bistro' });
    const event = await stored('client.updated', { id, plan: 'pro' });
    await calls.ask('PATCH', `/api/v1/clients/${id}`, { plan: 'free' });
    expect(await replayEvent(org.orgId, event, false)).toMatchObject({
      reason: expect.stringMatching(/^It was applied/),
    });
    expect((await calls.read(`/api/v1/clients/${id}`)).plan).toBe('free');
    expect(await replayEvent(org.orgId, event, true)).toEqual({ operation: 'updateClient', recordId: id, ignored: [] });
    expect((await calls.read(`/api/v1/clients/${id}`)).plan).toBe('pro');
  });

  it('changes users and roles, too, in the name of the operator', async () => {
    const email = `${randomUUID()}@acme.example`;
    const id = await storedBefore('user.created', { email });
    const outcome = await replayEvent(org.orgId, id, false);
    expect(outcome).toMatchObject({ operation: 'createUser' });
    const recordId = 'recordId' in outcome ? outcome.recordId : '';
    const { data } = await calls.read(`/api/v1/audit-events?record_id=${recordId}`);
    expect(data).toEqual([
      expect.objectContaining({ operation: 'createUser', actor_type: 'operator', actor_id: null, request_id: null }),
    ]);
    const role = await storedBefore('role.created', { code: 'replayed', label: 'x', permissions: ['tickets:read'] });
    expect(await replayEvent(org.orgId, role, false)).toMatchObject({ operation: 'createRole' });
  });

  it('is applied while the organization is suspended: the operator acts, not its keys', async () => {
    const suspended = await api.orgToken();
    const id = await storedBefore('client.created', { name: 'Suspended' }, suspended);
    await suspendOrganization(suspended.orgId);
    expect(await replayEvent(suspended.orgId, id, false)).toMatchObject({ operation: 'createClient' });
  });
});

describe('a stored event is not applied, and the response says why,', () => {
  const reasonOf = async (id: string, by = org, again = false) => {
    const outcome = await replayEvent(by.orgId, id, again);
    return 'reason' in outcome ? outcome.reason : outcome;
  };

  it('where its type has no effect', async () => {
    expect(await reasonOf(await stored('invoice.paid', {}))).toBe('Events of the type invoice.paid have no effect.');
  });

  it('where its data does not fit, or meets another record', async () => {
    expect(await reasonOf(await storedBefore('client.created', { title: 'x' }))).toMatch(
      /^The body does not fit its schema; #\/data\/\w+ /,
    );
    const again = await stored('client.created', { name: 'Twice', slug: 'twice' });
    expect(await reasonOf(again, org, true)).toMatch(/slug/);
    expect(await clientsNamed('Twice')).toHaveLength(1);
  });

  it('where it names another organization', async () => {
    const id = await storedBefore('client.created', { name: 'x', org_id: randomUUID() });
    expect(await reasonOf(id)).toMatch(/#\/data\/org_id must be the organization of the integration/);
  });

  it('where its data was too long to be kept', async () => {
    const id = await storedBefore('client.created', { name: 'x'.repeat(70_000) });
    expect(await reasonOf(id)).toMatch(/^Its data was too long/);
  });

  it('where the integration is inactive, or may not do that any more', async () => {
    const other = await api.orgToken();
    const platform = callsOf(api, await api.platformToken());
    const path = `/api/v1/integrations/${other.integrationId}?org_id=${other.orgId}`;
    const id = await storedBefore('client.created', { name: 'x' }, other);
    await platform.ask('PATCH', path, { permissions: ['tickets:write'] });
    expect(await reasonOf(id, other)).toBe('This event needs the permission clients:write.');
    await platform.ask('PATCH', path, { status: 'inactive' });
    expect(await reasonOf(id, other)).toBe(`The integration ${other.appCode} is not active.`);
  });

  it('where there is none, or it is another tenant’s', async () => {
    const other = await api.orgToken();
    const id = await storedBefore('client.created', { name: 'x' }, other);
    for (const each of [randomUUID(), id]) expect(await reasonOf(each)).toBe(`There is no webhook event ${each}.`);
  });
});
