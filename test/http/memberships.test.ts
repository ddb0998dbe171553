import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type JsonBody, startApi } from '../support/api.ts';
import { type Calls, callsOf, expectNoDifference, newTenant, pointsAt } from '../support/tenant-calls.ts';

const USERS = '/api/v1/users';
const CREATE = `${USERS}/memberships`;
const MEMBERSHIPS = '/api/v1/memberships';

let api: Api;
let acme: Calls & { readonly orgId: string };
let rival: Calls & { readonly orgId: string };

beforeAll(async () => {
  api = await startApi();
  [acme, rival] = await Promise.all([newTenant(api), newTenant(api)]);
});
afterAll(() => api.close());

/** A user, client and role, as a membership refers to them. */
async function people({ create }: Calls) {
  const user = await create(USERS, { email: `${randomUUID()}@acme.example` });
  const client = await create('/api/v1/clients', { name: 'Bistro' });
  const role = await create('/api/v1/roles', { code: randomUUID(), label: 'Support' });
  return { user_id: user.id, client_id: client.id, role_id: role.id };
}

describe('making a user a member', () => {
  it('fills in what was not given', async () => {
    const { user_id } = await people(acme);
    const { status, body, headers } = await acme.ask('POST', CREATE, { user_id });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        user_id,
        org_id: acme.orgId,
        client_id: null,
        role_id: null,
        status: 'active',
        metadata: null,
        created_at: expect.any(String),
      },
    ]);
    expect(headers.get('location')).toBe(`${MEMBERSHIPS}/${body.id}`);
    expect(await acme.read(`${MEMBERSHIPS}/${body.id}`)).toEqual(body);
  });

  it('keeps every field that was given', async () => {
    const fields = { ...(await people(acme)), org_id: acme.orgId, status: 'invited', metadata: { by: 'Inês' } };
    expect(await acme.create(CREATE, fields)).toMatchObject(fields);
  });

  it.each(['user_id', 'client_id', 'role_id'] as const)('needs a %s of the tenant', async (field) => {
    const [ours, theirs] = [await people(acme), await people(rival)];
    const attempt = (id: string) => acme.ask('POST', CREATE, { ...ours, [field]: id });
    await expectNoDifference(422, attempt, theirs[field]);
    expect((await attempt(randomUUID())).body.errors).toEqual(pointsAt(field));
    expect((await acme.read(`${USERS}/${ours.user_id}/memberships`)).data).toEqual([]);
  });

  it.each([
    ['no user', { user_id: undefined }, 'user_id'],
    ['a null organization', { org_id: null }, 'org_id'],
    ['a status of two words', { status: 'On hold' }, 'status'],
    ['a list as metadata', { metadata: [] }, 'metadata'],
    ['an unknown field', { colour: 'red' }, 'colour'],
  ])('refuses %s', async (_, fields, field) => {
    const { status, body } = await acme.ask('POST', CREATE, { user_id: randomUUID(), ...fields });
    expect([status, body.errors]).toEqual([422, pointsAt(field)]);
  });

  it('is for the own organization', async () => {
    const { user_id } = await people(acme);
    for (const org_id of [rival.orgId, randomUUID()]) {
      const { status, body } = await acme.ask('POST', CREATE, { user_id, org_id });
      expect([status, body.errors]).toEqual([403, pointsAt('org_id')]);
    }
  });

  it('is for the organization that a platform caller names', async () => {
    const platform = callsOf(api, await api.platformToken());
    const { user_id } = await people(acme);
    expect(await platform.create(CREATE, { user_id, org_id: acme.orgId })).toMatchObject({ org_id: acme.orgId });
    for (const body of [{ user_id }, { user_id, org_id: randomUUID() }]) {
      const answer = await platform.ask('POST', CREATE, body);
      expect([answer.status, answer.body.errors]).toEqual([422, pointsAt('org_id')]);
    }
  });
});

describe('the memberships of a user', () => {
  it('are listed oldest first, without pages', async () => {
    const { user_id, client_id, role_id } = await people(acme);
    const made: JsonBody[] = [];
    for (const fields of [{}, { client_id }, { client_id, role_id }]) {
      made.push(await acme.create(CREATE, { user_id, ...fields }));
    }
    await acme.create(CREATE, { user_id: (await people(acme)).user_id });
    const list = await acme.ask('GET', `${USERS}/${user_id}/memberships`);
    expect([list.status, list.body, list.headers.get('link')]).toEqual([200, { data: made }, null]);
    expect((await acme.read(`${USERS}/${user_id}/memberships?after=${made[0]?.id}`)).data).toEqual(made.slice(1));
  });
});

describe('changing a membership', () => {
  it('changes role, status and metadata, and nothing else', async () => {
    const { user_id, client_id, role_id } = await people(acme);
    const before = await acme.create(CREATE, { user_id, client_id });
    const changes = { role_id, status: 'inactive', metadata: { why: 'left' } };
    for (const fixed of [{ user_id: randomUUID() }, { client_id: null }]) {
      expect((await acme.ask('PATCH', `${MEMBERSHIPS}/${before.id}`, { ...changes, ...fixed })).status).toBe(422);
    }
    const { status, body } = await acme.ask('PATCH', `${MEMBERSHIPS}/${before.id}`, { ...before, ...changes });
    expect([status, body]).toEqual([200, { ...before, ...changes }]);
    expect((await acme.read(`${USERS}/${user_id}/memberships`)).data).toEqual([body]);
    const unset = await acme.ask('PATCH', `${MEMBERSHIPS}/${before.id}`, { role_id: null });
    expect([unset.status, unset.body.role_id]).toEqual([200, null]);
  });

  it('needs a role of the tenant', async () => {
    const [{ user_id }, theirs] = [await people(acme), await people(rival)];
    const { id } = await acme.create(CREATE, { user_id });
    const attempt = (role_id: string) => acme.ask('PATCH', `${MEMBERSHIPS}/${id}`, { role_id });
    await expectNoDifference(422, attempt, theirs.role_id);
    expect((await attempt(randomUUID())).body.errors).toEqual(pointsAt('role_id'));
  });

  it('holds to If-Match', async () => {
    const { user_id } = await people(acme);
    const created = await acme.ask('POST', CREATE, { user_id });
    const headers = { 'if-match': created.headers.get('etag') ?? '' };
    const change = (status: string) => acme.ask('PATCH', `${MEMBERSHIPS}/${created.body.id}`, { status }, { headers });
    expect([(await change('inactive')).status, (await change('active')).status]).toEqual([200, 412]);
  });

  it('refuses an unknown field', async () => {
    const { user_id } = await people(acme);
    const { id } = await acme.create(CREATE, { user_id });
    const { status, body } = await acme.ask('PATCH', `${MEMBERSHIPS}/${id}`, { colour: 'red' });
    expect([status, body.errors]).toEqual([422, pointsAt('colour')]);
  });
});

it('shows no difference between a membership of another tenant and none', async () => {
  const { user_id } = await people(rival);
  const theirs = await rival.create(CREATE, { user_id });
  await expectNoDifference(404, (id) => acme.ask('GET', `${MEMBERSHIPS}/${id}`), theirs.id);
  await expectNoDifference(404, (id) => acme.ask('PATCH', `${MEMBERSHIPS}/${id}`, { status: 'x' }), theirs.id);
});
