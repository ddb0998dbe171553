import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { JournalReader, type Tenant } from '#table';
import { attemptsOf, endpointEntity } from '../../functions/events/store.ts';
import { asOperator } from '../../operator/as-operator.ts';
import { suspendOrganization } from '../../operator/suspending.ts';
import { endpointsOf, lastAttemptsOf, replayTo } from '../../operator/webhook-endpoints.ts';
import { prepared } from '../support/prepared.ts';
import { callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';
import { challengeOf } from '../support/verified.ts';

/** The endpoints of an organization, as the operator sees to them without a key. */

const api = useApi();
const org = prepared(() => api.orgToken());
const calls = prepared(() => callsOf(api, org.token));

const URL = 'https://hooks.acme.com/custodia';
const newEndpoint = async () => {
  const { id } = await calls.create('/api/v1/webhook-endpoints', { url: URL });
  const code = await challengeOf(org.orgId, id);
  const { body } = await calls.ask('POST', `/api/v1/webhook-endpoints/${id}/verify`, { code });
  return body as typeof body & { readonly id: string };
};
const inOrg = <T>(change: (tenant: Tenant) => Promise<T>): Promise<T> => asOperator('test', org.orgId, change);
const found = async (id: string) => (await endpointsOf(org.orgId)).find((each) => each.id === id);

describe('webhook endpoints, as the operator sees to them,', () => {
  it('are listed as the API shows them, and without a secret', async () => {
    const { id } = await newEndpoint();
    await calls.create('/api/v1/clients', { name: 'One more event' });
    const listed = await found(id);
    expect(listed).toEqual(await calls.read(`/api/v1/webhook-endpoints/${id}`));
    expect(Object.keys(listed ?? {}).join()).not.toMatch(/secret|confirmed/);
  });

  it('go on from another place, and an expired one is active again, with what was last confirmed', async () => {
    const { id, delivered_through: begun } = await newEndpoint();
    await calls.create('/api/v1/clients', { name: 'To be repeated' });
    const stored = () => inOrg(async (tenant) => (await tenant.records(endpointEntity).get(id))?.record);
    const { confirmed } = (await stored()) ?? {};
    expect(await replayTo(org.orgId, id, 'latest')).toMatchObject({ status: 'active' });
    const latest = await found(id);
    expect(await replayTo(org.orgId, id, String(begun))).toMatchObject({ status: 'active' });
    expect((await found(id))?.backlog).toBeGreaterThan(latest?.backlog ?? 0);
    await inOrg(async (tenant) => {
      const before = await tenant.records(endpointEntity).get(id);
      if (before === undefined) throw new Error('it is gone');
      return tenant.records(endpointEntity).update(before, { status: 'expired', status_reason: 'cursor_expired' });
    });
    expect(await replayTo(org.orgId, id, 'oldest')).toMatchObject({ status: 'active' });
    expect(await stored()).toMatchObject({ status: 'active', status_reason: null, confirmed });
    const { data } = await calls.read(`/api/v1/audit-events?record_id=${id}`);
    expect(data[0]).toMatchObject({ operation: 'replayWebhookEndpoint', actor_type: 'operator' });
  });

  it('go on from no cursor of before a restoration', async () => {
    const { id, delivered_through: begun } = await newEndpoint();
    await inOrg((tenant) => new JournalReader(tenant).raiseGeneration());
    await expect(replayTo(org.orgId, id, String(begun))).rejects.toThrow('or records were restored since');
    expect(await replayTo(org.orgId, id, 'oldest')).toMatchObject({ status: 'active' });
  });

  it('are said to wait where the organization is suspended', async () => {
    const elsewhere = await api.orgToken();
    const endpoint = await callsOf(api, elsewhere.token).create('/api/v1/webhook-endpoints', { url: URL });
    const replay = () => replayTo(elsewhere.orgId, endpoint.id, 'oldest');
    expect(await replay()).toEqual({ status: 'unverified', suspended: false });
    await suspendOrganization(elsewhere.orgId);
    expect(await replay()).toEqual({ status: 'unverified', suspended: true });
  });

  it('show their last failures', async () => {
    const { id } = await newEndpoint();
    const attempt = {
      ...{ attempted_at: new Date().toISOString(), status_code: 503, error: null, events: 1 },
      ...{ first_event_id: randomUUID(), duration_ms: 12, skipped: false },
    };
    await inOrg((tenant) => attemptsOf(tenant, id).create({ fields: attempt }));
    expect(await lastAttemptsOf(org.orgId, id)).toMatchObject({ attempts: [attempt], total: 1 });
  });

  it('are those of the organization alone, and of its cursors', async () => {
    const [{ id }, other] = await Promise.all([newEndpoint(), api.orgToken()]);
    const elsewhere = await callsOf(api, other.token).create('/api/v1/webhook-endpoints', {
      url: 'https://hooks.acme.com/',
    });
    for (const missing of [elsewhere.id, randomUUID()])
      for (const look of [lastAttemptsOf, replayTo])
        await expect(look(org.orgId, missing, 'oldest')).rejects.toThrow(`has no webhook endpoint ${missing}`);
    for (const cursor of [String(elsewhere.delivered_through), 'newest'])
      await expect(replayTo(org.orgId, id, cursor)).rejects.toThrow('--from must be a cursor of this organization');
    await expect(endpointsOf(randomUUID())).rejects.toThrow('There is no organization');
  });
});
