import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, type JsonBody, startApi } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { type Calls, callsOf, expectNoDifference, newTenant, pointsAt } from '../support/tenant-calls.ts';

const USERS = '/api/v1/users';

let api: Api;
let acme: Calls & { readonly orgId: string };
let rival: Calls;
let platform: Calls;

beforeAll(async () => {
  api = await startApi();
  [acme, rival] = await Promise.all([newTenant(api), newTenant(api)]);
  platform = callsOf(api, await api.platformToken());
});
afterAll(() => api.close());

const address = (): string => `${randomUUID()}@acme.example`;
const newUser = (fields: JsonBody = {}, calls: Calls = acme) => calls.create(USERS, { email: address(), ...fields });

describe('creating a user', () => {
  it('fills in what was not given', async () => {
    const email = address();
    const { status, body, headers } = await acme.ask('POST', USERS, { email });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        email,
        name: null,
        phone: null,
        avatar_url: null,
        is_superadmin: false,
        is_active: true,
        created_at: expect.any(String),
        last_login: null,
      },
    ]);
    expect(headers.get('location')).toBe(`${USERS}/${body.id}`);
    expect(await acme.read(`${USERS}/${body.id}`)).toEqual(body);
  });

  it('keeps every field that was given, but for those it sets itself', async () => {
    const fields = {
      email: address(),
      name: 'Inês Duarte',
      phone: '+351 210 000 000',
      avatar_url: 'https://acme.example/ines.png',
      is_superadmin: false,
      is_active: false,
    };
    const user = await newUser({ ...fields, last_login: null, created_at: null });
    expect(user).toMatchObject({ ...fields, last_login: null, created_at: expect.any(String) });
  });

  it.each([
    ['no email', { email: undefined }, 'email'],
    ['an email that is none', { email: 'ines' }, 'email'],
    ['a numeric phone', { phone: 351 }, 'phone'],
    ['a script as avatar', { avatar_url: 'javascript:alert(1)' }, 'avatar_url'],
    ['a flag as text', { is_active: 'true' }, 'is_active'],
    ['a null flag', { is_superadmin: null }, 'is_superadmin'],
    ['an unknown field', { colour: 'red' }, 'colour'],
  ])('refuses %s', async (_, fields, field) => {
    const { status, body } = await acme.ask('POST', USERS, { email: address(), ...fields });
    expect([status, body.errors]).toEqual([422, pointsAt(field)]);
  });

  it('takes an email once in a tenant, however it is spelt and whoever is first', async () => {
    const email = address();
    const spelt = [email, email.toUpperCase(), email.replace('acme', 'Acme'), email];
    const answers = await Promise.all(spelt.map((spelling) => acme.ask('POST', USERS, { email: spelling })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    for (const { body } of answers.filter(({ status }) => status === 409))
      expect(body.errors).toEqual(pointsAt('email'));
    expect(await newUser({ email }, rival)).toMatchObject({ email });
  });
});

describe('changing a user', () => {
  it('changes the fields sent', async () => {
    const before = await newUser();
    const changes = { name: 'Inês', is_active: false, email: address() };
    const { status, body } = await acme.ask('PATCH', `${USERS}/${before.id}`, changes);
    expect([status, body]).toEqual([200, { ...before, ...changes }]);
    expect(await acme.read(`${USERS}/${before.id}`)).toEqual(body);
    // The old address is free, the new one is not.
    expect((await acme.ask('POST', USERS, { email: changes.email })).status).toBe(409);
    await newUser({ email: before.email });
  });

  it('takes a new spelling of its own email, not the email of another', async () => {
    const [user, other] = [await newUser(), await newUser()];
    const spelling = String(user.email).toUpperCase();
    const own = await acme.ask('PATCH', `${USERS}/${user.id}`, { email: spelling });
    expect([own.status, own.body.email]).toEqual([200, spelling]);
    const clash = await acme.ask('PATCH', `${USERS}/${user.id}`, { email: other.email });
    expect([clash.status, clash.body.errors]).toEqual([409, pointsAt('email')]);
  });

  it('holds to If-Match', async () => {
    const created = await acme.ask('POST', USERS, { email: address() });
    const headers = { 'if-match': created.headers.get('etag') ?? '' };
    const change = (name: string) => acme.ask('PATCH', `${USERS}/${created.body.id}`, { name }, { headers });
    expect([(await change('one')).status, (await change('two')).status]).toEqual([200, 412]);
  });

  it.each([
    ['no email', { email: null }, 'email'],
    ['an unknown field', { colour: 'red' }, 'colour'],
  ])('refuses %s', async (_, changes, field) => {
    const { status, body } = await acme.ask('PATCH', `${USERS}/${(await newUser()).id}`, changes);
    expect([status, body.errors]).toEqual([422, pointsAt(field)]);
  });
});

describe('superadmins', () => {
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

describe('listing users', () => {
  it('goes by pages and by activity', async () => {
    const org = await newTenant(api);
    const made: JsonBody[] = [];
    for (const is_active of [true, false, true]) made.push(await newUser({ is_active }, org));
    const page = await org.ask('GET', `${USERS}?page_size=2`);
    expect(page.body).toEqual({ data: [made[2], made[1]], page: 1, page_size: 2, total: 3 });
    expect(page.headers.get('link')).toContain(`<${USERS}?page_size=2&page=2>; rel="next"`);
    expect((await org.read(`${USERS}?is_active=true&sort=created_at`)).data).toEqual([made[0], made[2]]);
    await org.ask('PATCH', `${USERS}/${made[0]?.id}`, { is_active: false });
    expect(await org.read(`${USERS}?is_active=false`)).toMatchObject({ total: 2 });
  });

  it.each(['is_active=yes', 'page=-1', 'email=x'])('refuses ?%s', async (query) => {
    const { status, body } = await acme.ask('GET', `${USERS}?${query}`);
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ in: 'query' })]]);
  });
});

it('shows no difference between a user of another tenant and none', async () => {
  const theirs = await newUser({}, rival);
  await expectNoDifference(404, (id) => acme.ask('GET', `${USERS}/${id}`), theirs.id);
  await expectNoDifference(404, (id) => acme.ask('GET', `${USERS}/${id}/memberships`), theirs.id);
  await expectNoDifference(404, (id) => acme.ask('PATCH', `${USERS}/${id}`, { is_active: false }), theirs.id);
  expect(await rival.read(`${USERS}/${theirs.id}`)).toEqual(theirs);
});

it('keeps the users of the platform apart', async () => {
  const { id } = await newUser({}, platform);
  expect((await acme.ask('GET', `${USERS}/${id}`)).status).toBe(404);
  expect(await platform.read(`${USERS}/${id}`)).toMatchObject({ id });
});
