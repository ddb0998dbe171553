import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { RequestSession, Tenant } from '#table';
import { disableIntegration, integrationsOf } from '../../operator/integrations.ts';
import { kinds } from '../../operator/kinds.ts';
import { verify } from '../../operator/maintenance/verify/verify.ts';
import { resumeOrganization, suspendOrganization } from '../../operator/suspending.ts';
import { deliver } from '../support/deliver.ts';
import { keyMadeBy, loginWith } from '../support/keys.ts';
import { callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** Cutting off a key of an organization without a key of anybody. The gateway asks about each request. */

const api = useApi({ authorizerTtlSeconds: 0 });

const differencesOf = async (id: string) =>
  (await verify(Tenant.ofOperator(id, RequestSession.ofEnvironment(10_000)), kinds, { repair: false })).differences;

describe('an integration that the operator disables', () => {
  it('logs in nowhere, signs nothing, and its tokens have ended, also in a suspended organization; others go on', async () => {
    const org = await api.orgToken();
    const leaked = await keyMadeBy(api, callsOf(api, org.token));
    expect((await leaked.ask('GET', '/api/v1/clients')).status).toBe(200);
    await suspendOrganization(org.orgId);
    const { appCode } = leaked;
    expect(await disableIntegration(org.orgId, appCode)).toEqual({ id: leaked.id, app_code: appCode, changed: true });
    await resumeOrganization(org.orgId);
    const event = { event_type: 'client.created', data: { name: 'x' } };
    expect([
      (await leaked.ask('GET', '/api/v1/clients')).status,
      await loginWith(api, appCode, leaked.secret),
      (await deliver(api, { ...org, appCode, secret: leaked.secret }, event)).status,
      (await callsOf(api, org.token).ask('GET', '/api/v1/clients')).status,
    ]).toEqual([401, 401, 403, 200]);
    expect(await differencesOf(org.orgId)).toEqual([]);
    // Active again, it logs in, and its tokens of before stay ended.
    const path = `/api/v1/integrations/${leaked.id}`;
    expect((await callsOf(api, org.token).ask('PATCH', path, { status: 'active' })).status).toBe(200);
    expect((await leaked.ask('GET', '/api/v1/clients')).status).toBe(401);
    expect(await loginWith(api, appCode, leaked.secret)).toBe(200);
  });

  it('is disabled once, by the operator, as its organization can see', async () => {
    const org = await api.orgToken();
    const calls = callsOf(api, org.token);
    const leaked = await keyMadeBy(api, calls);
    const changes = [];
    for (let times = 0; times < 2; times++) changes.push((await disableIntegration(org.orgId, leaked.appCode)).changed);
    expect(changes).toEqual([true, false]);
    const { data } = await calls.read(`/api/v1/audit-events?record_id=${leaked.id}`);
    expect(data.map(({ operation, actor_type, changed_fields }) => [operation, actor_type, changed_fields])).toEqual([
      ['disableIntegration', 'operator', ['status', 'tokens']],
      ['createIntegration', 'integration', expect.arrayContaining(['secret'])],
    ]);
  });

  it('may be the last one of its organization', async () => {
    const org = await api.orgToken();
    await disableIntegration(org.orgId, org.appCode);
    expect(await loginWith(api, org.appCode, org.secret)).toBe(401);
    expect(await integrationsOf(org.orgId)).toEqual([expect.objectContaining({ status: 'inactive' })]);
    expect(await differencesOf(org.orgId)).toEqual([]);
  });

  it('is one of that organization', async () => {
    const [org, other] = [await api.orgToken(), await api.orgToken()];
    await expect(disableIntegration(org.orgId, other.appCode)).rejects.toThrow(`has no integration ${other.appCode}`);
    await expect(disableIntegration(randomUUID(), org.appCode)).rejects.toThrow('There is no organization');
    expect(await loginWith(api, other.appCode, other.secret)).toBe(200);
  });
});

it('the list has all of an organization, the oldest first, and no secret', async () => {
  const org = await api.orgToken();
  const made = await keyMadeBy(api, callsOf(api, org.token), { permissions: ['clients:read'] });
  const listed = await integrationsOf(org.orgId);
  expect(listed.map(({ id, app_code, permissions }) => [id, app_code, permissions])).toEqual([
    [org.integrationId, org.appCode, null],
    [made.id, made.appCode, ['clients:read']],
  ]);
  expect(JSON.stringify(listed)).not.toContain('secret');
});
