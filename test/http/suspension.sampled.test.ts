import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { RequestSession, Tenant } from '#table';
import { kinds } from '../../operator/kinds.ts';
import { verify } from '../../operator/maintenance/verify/verify.ts';
import { resumeOrganization, suspendOrganization } from '../../operator/suspending.ts';
import type { JsonBody, OrgAccess } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { sampled } from '../support/extent.ts';
import { loginWith } from '../support/keys.ts';
import { operations, PLATFORM_ONLY, TestTenant } from '../support/scenario.ts';
import { dumpOf } from '../support/table-dump.ts';
import { callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/**
 * A suspended organization, over HTTP. The gateway caches the authorizer's response for an hour here, so it never calls
 * it again.
 */

const SUSPENDED = 'urn:problem-type:custodia:organization-suspended';

const api = useApi({ authorizerTtlSeconds: 3_600 });

const clients = (org: OrgAccess) => callsOf(api, org.token).ask('GET', '/api/v1/clients');
const createClient = (org: OrgAccess, headers: Record<string, string> = {}) =>
  callsOf(api, org.token).ask('POST', '/api/v1/clients', { name: 'Bistro' }, { headers });

/** Differences between the records of an organization and its lists. */
const differencesIn = async (org: OrgAccess) =>
  (await verify(Tenant.ofOperator(org.orgId, RequestSession.ofEnvironment(10_000)), kinds, { repair: false }))
    .differences;

describe('a suspended organization', () => {
  it('is refused whatever it asks for, with tokens that were issued and authorized before', async () => {
    const org = await api.orgToken();
    const testTenant = new TestTenant(api, org);
    const asking = operations.filter(([id, { auth }]) => auth.startsWith('bearer') && !PLATFORM_ONLY.has(id));
    expect(asking.length).toBeGreaterThan(40);
    const scenarios = [];
    for (const [id] of sampled(asking, 12)) scenarios.push(await testTenant.scenario(id));
    await suspendOrganization(org.orgId);
    for (const scenario of scenarios) {
      const { status, body } = await testTenant.send(scenario);
      expect([status, body.type], scenario.operationId).toEqual([403, SUSPENDED]);
    }
    await resumeOrganization(org.orgId);
    expect(await differencesIn(org)).toEqual([]);
    for (const scenario of scenarios.filter(({ operationId }) => operationId !== 'revokeTokens')) {
      const { status, body } = await testTenant.send(scenario);
      expect(status, `${scenario.operationId} ${JSON.stringify(body)}`).toBe(scenario.route.response.status);
    }
  });

  it('cannot log in, and learns why only with the right secret', async () => {
    const org = await api.orgToken();
    await suspendOrganization(org.orgId);
    const { status, body } = await api.request('POST', '/api/v1/auth/login', {
      body: { app_code: org.appCode, secret: org.secret },
    });
    expect([status, body.type]).toEqual([403, SUSPENDED]);
    expect(await loginWith(api, org.appCode, 'wrong')).toBe(401);
    await resumeOrganization(org.orgId);
    expect(await loginWith(api, org.appCode, org.secret)).toBe(200);
  });

  it('has its webhooks refused, which leave nothing and can be delivered again', async () => {
    const org = await api.orgToken();
    await suspendOrganization(org.orgId);
    const event = { event_type: 'client.created', data: { name: 'By webhook' } };
    const eventId = randomUUID();
    const refused = await deliver(api, org, event, { eventId });
    expect([refused.status, refused.body.type]).toEqual([403, SUSPENDED]);
    expect((await deliver(api, org, event, { signature: '0'.repeat(64) })).status).toBe(401);
    await resumeOrganization(org.orgId);
    expect((await clients(org)).body.total).toBe(0);
    expect((await deliver(api, org, event, { eventId })).status).toBe(200);
    expect((await clients(org)).body.total).toBe(1);
  });

  it('gets no stored response for an idempotency key, and its record neither', async () => {
    const org = await api.orgToken();
    const used = { 'idempotency-key': randomUUID() };
    expect((await createClient(org, used)).status).toBe(201);
    await suspendOrganization(org.orgId);
    const again = await createClient(org, used);
    const fresh = { 'idempotency-key': randomUUID() };
    expect([again.status, again.body.type, (await createClient(org, fresh)).status]).toEqual([403, SUSPENDED, 403]);
    await resumeOrganization(org.orgId);
    expect((await clients(org)).body.total).toBe(1);
    expect((await createClient(org, fresh)).status).toBe(201);
  });

  it('takes no numbers of lists while it goes on calling', async () => {
    const org = await api.orgToken();
    await createClient(org);
    await suspendOrganization(org.orgId);
    for (let calls = 0; calls < 5; calls++) expect((await createClient(org)).status).toBe(403);
    await resumeOrganization(org.orgId);
    expect((await createClient(org)).status).toBe(201);
    expect((await clients(org)).body.total).toBe(2);
    // The first refusal began to create, and released its number.
    const head = (await dumpOf(api.table)).find(
      ({ PK, SK }) => PK?.S === `ORG#${org.orgId}#CLIENT#SET` && SK?.S === 'HEAD',
    );
    expect(Number(head?.NEXT?.N)).toBeLessThanOrEqual(3);
    expect(await differencesIn(org)).toEqual([]);
  });

  it('is still there for the platform, which reads and changes it, and whose new keys for it are refused', async () => {
    const org = await api.orgToken();
    await suspendOrganization(org.orgId);
    const platform = callsOf(api, await api.platformToken());
    const made = await platform.create(`/api/v1/clients?org_id=${org.orgId}`, { name: 'Of the platform' });
    expect((await platform.ask('GET', `/api/v1/clients/${made.id}?org_id=${org.orgId}`)).status).toBe(200);
    const key = await platform.create('/api/v1/integrations', {
      org_id: org.orgId,
      app_code: `app-${randomUUID()}`,
      display_name: 'New',
    });
    expect(await loginWith(api, String(key.app_code), key.secret)).toBe(403);
  });

  it('finds both in its audit log, once each, by the operator', async () => {
    const org = await api.orgToken();
    expect(await suspendOrganization(org.orgId)).toMatchObject({ state: 'suspended', changed: true });
    expect(await suspendOrganization(org.orgId)).toMatchObject({ state: 'suspended', changed: false });
    expect([await resumeOrganization(org.orgId), await resumeOrganization(org.orgId)]).toEqual([true, false]);
    const { data } = await callsOf(api, org.token).read('/api/v1/audit-events');
    const ofOperator = data.filter((event: JsonBody) => event.actor_type === 'operator');
    expect(ofOperator).toEqual([
      expect.objectContaining({ operation: 'resumeOrganization', record_id: org.orgId, changed_fields: ['suspended'] }),
      expect.objectContaining({
        operation: 'suspendOrganization',
        record_id: org.orgId,
        changed_fields: ['suspended'],
      }),
    ]);
  });
});

describe('who is not there', () => {
  it('cannot be suspended or resumed', async () => {
    const id = randomUUID();
    await expect(suspendOrganization(id)).rejects.toThrow(`There is no organization ${id}.`);
    await expect(resumeOrganization(id)).rejects.toThrow(`There is no organization ${id}.`);
  });
});
