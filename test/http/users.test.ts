import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonBody } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { prepared } from '../support/prepared.ts';
import { type Calls, callsOf, newTenant, pointsAt } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

const USERS = '/api/v1/users';

const api = useApi();

beforeAll(async () => {
  [acme, rival] = await Promise.all([newTenant(api), newTenant(api)]);
});
const platform = prepared(async () => callsOf(api, await api.platformToken()));
let acme: Calls & { readonly orgId: string };
let rival: Calls;

const address = (): string => `${randomUUID()}@acme.example`;
const newUser = (fields: JsonBody = {}, calls: Calls = acme) => calls.create(USERS, { email: address(), ...fields });

describe('creating a user', () => {
  it('takes an email once in a tenant, however it is spelt and whoever is first', async () => {
    const email = address();
    const spelt = [email, email.toUpperCase(), email.replace('acme', 'Acme'), email];
    const responses = await Promise.all(spelt.map((spelling) => acme.ask('POST', USERS, { email: spelling })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    for (const { body } of responses.filter(({ status }) => status === 409))
      expect(body.errors).toEqual(pointsAt('email'));
    expect(await newUser({ email }, rival)).toMatchObject({ email });
  });

  it('takes an international address, once in any form of its letters and its domain, and finds it by each', async () => {
    const [name, email] = [randomUUID(), 'Inês.Müller@bücher.example'];
    const made = await newUser({ name, email });
    expect(made.email).toBe(email);
    for (const spelling of ['ine\u0302s.mu\u0308ller@BÜCHER.example', 'inês.müller@xn--bcher-kva.example']) {
      const refused = await acme.ask('POST', USERS, { email: spelling });
      expect([refused.status, refused.body.errors]).toEqual([409, pointsAt('email')]);
      const found = await acme.ask('GET', `${USERS}?email=${encodeURIComponent(spelling)}`);
      expect(found.body.data).toMatchObject([{ id: made.id, email }]);
    }
    expect((await acme.ask('GET', `${USERS}?q=ines.mul`)).body.data).toMatchObject([{ id: made.id }]);
    expect(await newUser({ email: 'ines.muller@bücher.example' })).toMatchObject({ name: null });
  });
});

describe('changing a user', () => {
  it('takes a new spelling of its own email, not the email of another', async () => {
    const [user, other] = [await newUser(), await newUser()];
    const spelling = String(user.email).toUpperCase();
    const own = await acme.ask('PATCH', `${USERS}/${user.id}`, { email: spelling });
    expect([own.status, own.body.email]).toEqual([200, spelling]);
    const refused = await acme.ask('PATCH', `${USERS}/${user.id}`, { email: other.email });
    expect([refused.status, refused.body.errors]).toEqual([409, pointsAt('email')]);
  });
});

describe('deleting a user', () => {
  const MEMBERSHIPS = `${USERS}/memberships`;

  it('is refused while it has memberships, which can be deleted; then its address is free', async () => {
    const user = await newUser();
    const path = `${USERS}/${user.id}`;
    const [one, two] = [
      await acme.create(MEMBERSHIPS, { user_id: user.id }),
      await acme.create(MEMBERSHIPS, { user_id: user.id }),
    ];
    const refused = await acme.ask('DELETE', path);
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({ detail: 'The user has 2 memberships. Delete the memberships first.' }),
    ]);
    for (const { id } of [one, two]) {
      expect((await acme.ask('DELETE', `/api/v1/memberships/${id}`)).status).toBe(204);
      expect((await acme.ask('DELETE', `/api/v1/memberships/${id}`)).status).toBe(404);
    }
    const { total } = await acme.read(USERS);
    expect((await acme.ask('DELETE', path)).status).toBe(204);
    for (const method of ['GET', 'DELETE']) expect((await acme.ask(method, path)).status).toBe(404);
    expect((await acme.read(USERS)).total).toBe(Number(total) - 1);
    expect((await acme.read(`/api/v1/memberships?user_id=${user.id}`)).total).toBe(0);
    const late = await acme.ask('POST', MEMBERSHIPS, { user_id: user.id });
    expect([late.status, late.body.errors]).toEqual([422, pointsAt('user_id')]);
    expect((await newUser({ email: user.email })).id).not.toBe(user.id);
  });

  it('and giving it a membership at the same time: one of the two', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await newUser();
      const [deleted, given] = await Promise.all([
        acme.ask('DELETE', `${USERS}/${id}`),
        acme.ask('POST', MEMBERSHIPS, { user_id: id }),
      ]);
      expect([`204 422`, `409 201`]).toContain(`${deleted.status} ${given.status}`);
    }
  });

  it('is the platform’s where it is a superadmin', async () => {
    const made = await platform.create(`${USERS}?org_id=${acme.orgId}`, { email: address(), is_superadmin: true });
    expect((await acme.ask('DELETE', `${USERS}/${made.id}`)).status).toBe(403);
    expect((await platform.ask('DELETE', `${USERS}/${made.id}?org_id=${acme.orgId}`)).status).toBe(204);
  });
});

describe('superadmins', () => {
  it('are not made by an event of the organization', async () => {
    const event = { event_type: 'user.created', data: { email: address(), is_superadmin: true } };
    expect((await deliver(api, await api.orgToken(), event)).status).toBe(403);
  });

  it('are made and unmade by platform callers only', async () => {
    const attempts = [
      await acme.ask('POST', USERS, { email: address(), is_superadmin: true }),
      await acme.ask('PATCH', `${USERS}/${(await newUser()).id}`, { is_superadmin: true }),
    ];
    for (const { status, body } of attempts) expect([status, body.errors]).toEqual([403, pointsAt('is_superadmin')]);

    const inAcme = `?org_id=${acme.orgId}`;
    const made = await platform.create(`${USERS}${inAcme}`, { email: address(), is_superadmin: true });
    expect(await acme.read(`${USERS}/${made.id}`)).toMatchObject({ is_superadmin: true });
    const unmaking = await acme.ask('PATCH', `${USERS}/${made.id}`, { is_superadmin: false });
    expect([unmaking.status, unmaking.body.errors]).toEqual([403, pointsAt('is_superadmin')]);
    const unmade = await platform.ask('PATCH', `${USERS}/${made.id}${inAcme}`, { is_superadmin: false });
    expect([unmade.status, unmade.body.is_superadmin]).toEqual([200, false]);
  });

  it.each([
    ['email', { email: 'taken-over@acme.example' }],
    ['name', { name: 'Nobody' }],
    ['phone', { phone: '0' }],
    ['avatar_url', { avatar_url: 'https://acme.example/x.png' }],
    ['is_active', { is_active: false }],
    ['is_active beside a flag that stays', { is_active: false, is_superadmin: true }],
  ])('keep their %s, whatever a key or an event of the organization says', async (_, change) => {
    const org = await api.orgToken();
    const inOrg = `?org_id=${org.orgId}`;
    const made = await platform.create(`${USERS}${inOrg}`, { email: address(), is_superadmin: true });
    const calls = callsOf(api, org.token);
    const direct = await calls.ask('PATCH', `${USERS}/${made.id}`, change);
    const byEvent = await deliver(api, org, { event_type: 'user.updated', data: { id: made.id, ...change } });
    for (const { status, body } of [direct, byEvent]) {
      expect([status, body.detail]).toEqual([403, 'Only a platform caller may change a superadmin.']);
    }
    expect(await calls.read(`${USERS}/${made.id}`)).toEqual(made);
    expect((await calls.ask('PATCH', `${USERS}/${made.id}`, made)).status).toBe(200);
    expect((await platform.ask('PATCH', `${USERS}/${made.id}${inOrg}`, change)).body).toMatchObject(change);
  });

  it('are changed by the organization again once they are none', async () => {
    const inAcme = `?org_id=${acme.orgId}`;
    const { id } = await platform.create(`${USERS}${inAcme}`, { email: address(), is_superadmin: true });
    await platform.ask('PATCH', `${USERS}/${id}${inAcme}`, { is_superadmin: false });
    expect((await acme.ask('PATCH', `${USERS}/${id}`, { is_active: false })).body.is_active).toBe(false);
  });
});

/** A user, client and role, as a membership refers to them. */
async function people({ create }: Calls) {
  const user = await create(USERS, { email: `${randomUUID()}@acme.example` });
  const client = await create('/api/v1/clients', { name: 'Bistro' });
  const role = await create('/api/v1/roles', { code: randomUUID(), label: 'Support' });
  return { user_id: user.id, client_id: client.id, role_id: role.id };
}

describe('the memberships of a user', () => {
  it('are listed oldest first, without pages', async () => {
    const { user_id, client_id, role_id } = await people(acme);
    const made: JsonBody[] = [];
    for (const fields of [{}, { client_id }, { client_id, role_id }]) {
      made.push(await acme.create(`${USERS}/memberships`, { user_id, ...fields }));
    }
    await acme.create(`${USERS}/memberships`, { user_id: (await people(acme)).user_id });
    const list = await acme.ask('GET', `${USERS}/${user_id}/memberships`);
    expect([list.status, list.body, list.headers.get('link')]).toEqual([200, { data: made }, null]);
    expect((await acme.read(`${USERS}/${user_id}/memberships?after=${made[0]?.id}`)).data).toEqual(made.slice(1));
  });
});
