import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import type { JsonBody, OrgAccess } from '../support/api.ts';
import { EXTENT } from '../support/extent.ts';
import { INTEGRATIONS, keyMadeBy, register } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { type Calls, callsOf, pointsAt } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

const api = useApi({ firstKey: false });
const platform = prepared(async () => callsOf(api, await api.platformToken()));

const calls = ({ token }: OrgAccess) => callsOf(api, token);

describe('the rate limit of a new integration', () => {
  const limit = async (org: OrgAccess, rate_limit: number | null) => {
    const path = `${INTEGRATIONS}/${org.integrationId}?org_id=${org.orgId}`;
    expect((await platform.ask('PATCH', path, { rate_limit })).status).toBe(200);
  };
  const anew = async ({ appCode, secret }: OrgAccess) => callsOf(api, await api.login(appCode, secret));

  it('is that of its maker, to the last generation', async () => {
    const org = await api.orgToken();
    await limit(org, 7_000);
    const child = await keyMadeBy(api, await anew(org));
    const grandchild = await keyMadeBy(api, child);
    for (const { id } of [child, grandchild]) {
      expect(await platform.read(`${INTEGRATIONS}/${id}?org_id=${org.orgId}`)).toMatchObject({ rate_limit: 7_000 });
    }
    const { headers } = await grandchild.ask('GET', '/api/v1/clients');
    expect(headers.get('ratelimit-policy')).toBe('"default";q=7000;w=60');
  });

  it('is not chosen by a caller of an organization, but as its own', async () => {
    const org = await api.orgToken();
    await limit(org, 7_000);
    const maker = await anew(org);
    for (const rate_limit of [6_999, 7_001]) {
      const { status, body } = await register(maker, { rate_limit });
      expect([status, body.errors]).toEqual([403, pointsAt('rate_limit')]);
    }
    expect((await register(maker, { rate_limit: 7_000 })).body.rate_limit).toBe(7_000);
    expect((await register(maker, { rate_limit: null })).body.rate_limit).toBe(7_000);
  });

  it('is not the creator’s earlier one, while the gateway still passes that on', async () => {
    const org = await api.orgToken();
    await limit(org, 7_000);
    const maker = await anew(org);
    expect((await register(maker)).status).toBe(201);
    for (const rate_limit of [70, null]) {
      await limit(org, rate_limit);
      const { status, body } = await register(maker);
      expect([status, body.detail]).toEqual([401, expect.stringContaining('log in again')]);
    }
    expect((await register(await anew(org))).body.rate_limit).toBeNull();
  });

  it('is what a platform caller says', async () => {
    const { orgId: org_id } = await api.orgToken();
    for (const rate_limit of [1_000_000, 5, null]) {
      expect((await register(platform, { org_id, rate_limit })).body.rate_limit).toBe(rate_limit);
    }
  });
});

describe('the integrations of an organization', () => {
  const total = async (by: Calls) => (await by.read(`${INTEGRATIONS}?page_size=1`)).total;

  it('are as many as the stage allows', async () => {
    vi.stubEnv('MAX_INTEGRATIONS', '3');
    const org = await api.orgToken();
    const owner = calls(org);
    const responses = [];
    for (let turn = 0; turn < 3; turn++) responses.push(await register(owner));
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 409]);
    expect(responses[2]?.body).toMatchObject({
      type: 'urn:problem-type:custodia:conflict',
      detail: 'The organization has 3 active integrations, as many as it may have.',
    });
    expect(await total(owner)).toBe(3);
    vi.stubEnv('MAX_INTEGRATIONS', '4');
    expect((await register(owner)).status).toBe(201);
  });

  it('count as long as they are active: filled by one key, its owner makes room', async () => {
    vi.stubEnv('MAX_INTEGRATIONS', '3');
    const owner = calls(await api.orgToken());
    const thief = await keyMadeBy(api, owner);
    const made = await register(thief);
    expect([made.status, (await register(owner)).status]).toEqual([201, 409]);
    const set = (id: unknown, status: string) => owner.ask('PATCH', `${INTEGRATIONS}/${id}`, { status });
    const statuses = async (...asked: ReturnType<Calls['ask']>[]) =>
      (await Promise.all(asked)).map(({ status }) => status);
    for (const status of ['inactive', 'inactive', 'active', 'inactive'])
      expect((await set(made.body.id, status)).status).toBe(200);
    // One of the reactivated and new integrations fits into the limit.
    const both = await statuses(register(owner), set(made.body.id, 'active'));
    expect(both.toSorted()).toEqual([expect.any(Number), 409]);
    expect(await statuses(register(owner), set(thief.id, 'active'))).toEqual([409, 200]);
    expect(await statuses(set(thief.id, 'inactive'))).toEqual([200]);
    expect(await statuses(register(owner))).toEqual([201]);
    expect(await statuses(set(thief.id, 'active'))).toEqual([409]);
  });

  it('that are inactive from the beginning do not count until they are active', async () => {
    vi.stubEnv('MAX_INTEGRATIONS', '2');
    const owner = calls(await api.orgToken());
    const path = `${INTEGRATIONS}/${(await register(owner, { status: 'inactive' })).body.id}`;
    expect((await register(owner)).status).toBe(201);
    const refused = await owner.ask('PATCH', path, { status: 'active', display_name: 'Again' });
    expect([refused.status, refused.body.type]).toEqual([409, 'urn:problem-type:custodia:conflict']);
    expect(await owner.read(path)).toMatchObject({ status: 'inactive', display_name: 'Another' });
    expect((await owner.ask('PATCH', path, { display_name: 'Again' })).status).toBe(200);
  });

  it('may be more by a platform caller, who can always help', async () => {
    vi.stubEnv('MAX_INTEGRATIONS', '1');
    const org = await api.orgToken();
    const { status, body } = await register(platform, { org_id: org.orgId });
    expect([status, (await register(calls(org))).status]).toEqual([201, 409]);
    const path = `${INTEGRATIONS}/${body.id}?org_id=${org.orgId}`;
    for (const to of ['inactive', 'active'])
      expect((await platform.ask('PATCH', path, { status: to })).status).toBe(200);
    expect((await register(calls(org))).status).toBe(409);
  });

  it('are no more when many are made at once', async () => {
    vi.stubEnv('MAX_INTEGRATIONS', '5');
    const owner = calls(await api.orgToken());
    const responses = await Promise.all(Array.from({ length: 8 }, () => register(owner)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 409, 409, 409, 409]);
    expect(await total(owner)).toBe(5);
  });

  it('count those only that were made', async () => {
    vi.stubEnv('MAX_INTEGRATIONS', '3');
    const org = await api.orgToken();
    const owner = calls(org);
    const headers = { 'idempotency-key': randomUUID() };
    const fields = { app_code: `app-${randomUUID()}` };
    const taken: JsonBody = { app_code: (await api.orgToken()).appCode };
    for (let turn = 0; turn < 4; turn++) expect((await register(owner, taken)).status).toBe(409);
    for (let turn = 0; turn < 4; turn++) expect((await register(owner, fields, { headers })).status).toBe(201);
    expect((await register(owner)).status).toBe(201);
    expect((await register(owner)).body.type).toBe('urn:problem-type:custodia:conflict');
  });

  it.skipIf(EXTENT !== 'nightly')('may be 200 unless the stage says otherwise', async () => {
    vi.stubEnv('MAX_INTEGRATIONS', '');
    const owner = calls(await api.orgToken());
    for (let made = 1; made < 200; made++) expect((await register(owner)).status).toBe(201);
    expect((await register(owner)).status).toBe(409);
  });

  it('of the platform are not counted', async () => {
    vi.stubEnv('MAX_INTEGRATIONS', '1');
    for (let turn = 0; turn < 2; turn++) expect((await register(platform, { org_id: null })).status).toBe(201);
  });
});

it('registers nothing without a token where the stage does not allow it', async () => {
  for (const body of [{ app_code: 'new-app', display_name: 'New' }, {}]) {
    const { status, headers, body: problem } = await api.request('POST', '/api/v1/integrations', { body });
    expect([status, problem.type]).toEqual([401, 'urn:problem-type:custodia:unauthorized']);
    expect(headers.get('www-authenticate')).toBe('Bearer realm="custodia"');
  }
});
