import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { role } from '../../functions/access/contract.ts';
import { integration } from '../../functions/integrations/contract.ts';
import type { JsonBody } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { INTEGRATIONS, keyMadeBy } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { operations } from '../support/scenario.ts';
import { callsOf, pointsAt } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/**
 * A platform caller that forgets `org_id` creates no record of the platform, above all no key for every organization.
 */

const PERSON = randomUUID();
const fresh = (): Readonly<Record<string, JsonBody>> => ({
  createIntegration: { app_code: `app-${randomUUID()}`, display_name: 'Forgetful' },
  createRole: { code: randomUUID(), label: 'Forgetful' },
  createClient: { name: 'Forgetful' },
  createMembership: { user_id: PERSON },
});
const creations = operations.filter(([, { method, body }]) => method === 'POST' && body?.schema.shape.org_id);
const forPlatform = creations.filter(([, { body }]) => body?.schema.shape.org_id?.safeParse(null).success);

const api = useApi();
const org = prepared(() => api.orgToken());
const platform = prepared(async () => callsOf(api, await api.platformToken()));
const sender = prepared(() => keyMadeBy(api, platform, { org_id: null }));

const totals = () =>
  Promise.all(['integrations', 'roles', 'clients'].map(async (kind) => (await platform.read(`/api/v1/${kind}`)).total));

it('covers every creation that takes an organization', () => {
  expect(creations.map(([id]) => id).toSorted()).toEqual(Object.keys(fresh()).toSorted());
  expect(forPlatform.map(([id]) => id)).toEqual(['createRole', 'createIntegration']);
  for (const { schema } of [role, integration]) expect(schema.shape.org_id.meta()).not.toHaveProperty('default');
});

describe.each(creations)('%s by a platform caller', (operationId, { path, event }) => {
  it('is refused without org_id, and makes nothing', async () => {
    const before = await totals();
    const { status, body } = await platform.ask('POST', path, fresh()[operationId]);
    expect([status, body.errors, body.secret]).toEqual([422, pointsAt('org_id'), undefined]);
    expect(await totals()).toEqual(before);
  });

  it.runIf(event)('is refused without org_id as an event of a platform integration', async () => {
    const before = await totals();
    const { status, body } = await deliver(api, sender, { event_type: event?.type, data: fresh()[operationId] });
    expect([status, body.errors]).toEqual([422, pointsAt('data/org_id')]);
    expect(await totals()).toEqual(before);
  });
});

describe.each(forPlatform)('%s by a platform caller', (operationId, { path, event }) => {
  const made = (query: string, fields: JsonBody) =>
    platform.ask('POST', `${path}${query}`, { ...fresh()[operationId], ...fields });

  it('is for the platform where that is written', async () => {
    const { status, body } = await made('', { org_id: null });
    expect([status, body.org_id]).toEqual([201, null]);
  });

  it('is for the organization that the query names', async () => {
    expect((await made(`?org_id=${org.orgId}`, {})).body.org_id).toBe(org.orgId);
    expect((await made(`?org_id=${org.orgId}`, { org_id: org.orgId })).body.org_id).toBe(org.orgId);
    expect((await made(`?org_id=${randomUUID()}`, {})).status).toBe(404);
  });

  it('is refused where query and body differ', async () => {
    for (const org_id of [null, randomUUID()]) {
      const { status, body } = await made(`?org_id=${org.orgId}`, { org_id });
      expect([status, body.errors]).toEqual([422, pointsAt('org_id')]);
    }
  });

  it.runIf(event)('is for the platform as an event that says so', async () => {
    const data = { ...fresh()[operationId], org_id: null };
    expect((await deliver(api, sender, { event_type: event?.type, data })).status).toBe(200);
    const elsewhere = { ...fresh()[operationId], org_id: org.orgId };
    expect((await deliver(api, sender, { event_type: event?.type, data: elsewhere })).status).toBe(403);
  });
});

it('others need not say it: an organization’s caller, and the first key, which names it in the body alone', async () => {
  const owner = callsOf(api, org.token);
  for (const [operationId, { path }] of forPlatform) {
    expect(await owner.create(path, fresh()[operationId] ?? {})).toMatchObject({ org_id: org.orgId });
    const other = `${path}?org_id=${randomUUID()}`;
    expect((await owner.ask('POST', other, fresh()[operationId])).status).toBe(403);
  }
  const first = { body: fresh().createIntegration };
  expect((await api.request('POST', INTEGRATIONS, first)).status).toBe(201);
  expect((await api.request('POST', `${INTEGRATIONS}?org_id=${randomUUID()}`, first)).status).toBe(400);
});
