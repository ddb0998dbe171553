import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { keyMadeBy } from '../support/keys.ts';
import { lengthen } from '../support/long-lists.ts';
import { prepared } from '../support/prepared.ts';
import { callsOf, newTenant } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';
import { type ApiDriver, apiDriverOf, NOWHERE, pointersOf } from './api-driver.ts';

/** Memberships, users by role, and who is found by a telephone number. */

const api = useApi();
const org = prepared(() => api.orgToken());
let acme: ApiDriver;
const ids: Record<string, string> = {};

const named = async (path: string) => {
  const { ids: listed } = await acme.list(path);
  return listed.map((id) => Object.entries(ids).find(([, known]) => known === id)?.[0] ?? id);
};
const limited = async (...permissions: string[]) =>
  apiDriverOf(api, (await keyMadeBy(api, callsOf(api, org.token), { permissions })).token);

beforeAll(async () => {
  acme = apiDriverOf(api, org.token);
  const make = async (name: string, path: string, body: object) => {
    ids[name] = (await acme.create(path, body as never)).id;
  };
  for (const code of ['admin', 'agent']) await make(code, '/roles', { code, label: code });
  for (const name of ['ana', 'rui', 'zoe']) await make(name, '/users', { email: `${name}@acme.example`, name });
  await make('bistro', '/clients', { name: 'Bistro', phone: 351_210_000_000 });
  await make('tasca', '/clients', { name: 'Tasca' });
  const member = (name: string, user: string, role: string, fields = {}) =>
    make(name, '/users/memberships', { user_id: ids[user], role_id: ids[role], ...fields });
  await member('anaAdmin', 'ana', 'admin');
  await member('anaAgent', 'ana', 'agent', { client_id: ids.bistro });
  await member('ruiAgent', 'rui', 'agent');
  await member('zoeWasAdmin', 'zoe', 'admin', { status: 'inactive' });
  await acme.patch(`/users/${ids.ana}`, { phone: '+351 (210) 000-000' });
  await acme.patch(`/users/${ids.rui}`, { phone: 'none, ask Ana' });
});

describe('GET /memberships', () => {
  it('lists by user, client, role and status, in pages', async () => {
    expect(await named('/memberships?sort=created_at')).toEqual(['anaAdmin', 'anaAgent', 'ruiAgent', 'zoeWasAdmin']);
    expect(await named(`/memberships?user_id=${ids.ana}`)).toEqual(['anaAgent', 'anaAdmin']);
    expect(await named(`/memberships?user_id=${ids.ana},${ids.rui}&client_id=null`)).toEqual(['ruiAgent', 'anaAdmin']);
    expect(await named(`/memberships?client_id=${ids.bistro}`)).toEqual(['anaAgent']);
    expect(await named(`/memberships?role_id=${ids.admin}&status=inactive`)).toEqual(['zoeWasAdmin']);
    expect((await acme.list('/memberships?page=2&page_size=3')).total).toBe(4);
    expect((await acme.list(`/memberships?org_id=${org.orgId}`)).total).toBe(4);
    expect((await (await limited('users:read')).get('/memberships')).status).toBe(403);
    const stranger = await newTenant(api);
    expect(await stranger.read(`/api/v1/memberships?user_id=${ids.ana}`)).toMatchObject({ data: [], total: 0 });
  });
});

describe('GET /users?role=', () => {
  it('lists users with an active membership in the role, by its id or code', async () => {
    for (const role of [ids.admin, 'admin', String(ids.admin).toUpperCase()])
      expect(await named(`/users?role=${role}`)).toEqual(['ana']);
    expect(await named(`/users?role=agent,${ids.admin}`)).toEqual(['rui', 'ana']);
    expect(await named('/users?role=agent&sort=name')).toEqual(['ana', 'rui']);
    expect(await named('/users?role=agent&q=rui')).toEqual(['rui']);
    expect(await named('/users?role=agent&is_active=false')).toEqual([]);
    expect(await named('/users?role=Admin')).toEqual([]);
    expect(await named(`/users?role=${NOWHERE},${ids.ana}`)).toEqual([]);
    const { status, body, headers } = await acme.get('/users?role=agent&page=2&page_size=1');
    expect([status, body.total, (body.data as { id: string }[]).map(({ id }) => id)]).toEqual([200, 2, [ids.ana]]);
    expect(headers.get('scan-units')).toMatch(/^\d+;limit=500$/);
  });

  it('follows a membership that ends', async () => {
    await acme.patch(`/memberships/${ids.zoeWasAdmin}`, { status: 'active' });
    expect(await named('/users?role=admin')).toEqual(['zoe', 'ana']);
    await acme.patch(`/memberships/${ids.zoeWasAdmin}`, { status: 'inactive' });
    expect(await named('/users?role=admin')).toEqual(['ana']);
  });

  it('needs the permissions to read what it compares', async () => {
    const users = await limited('users:read');
    const refused = await users.get(`/users?role=${ids.admin}`);
    expect([refused.status, pointersOf(refused), (await users.get('/users')).status]).toEqual([403, ['#/role'], 200]);
    const members = await limited('users:read', 'memberships:read');
    expect((await members.get(`/users?role=${ids.admin}`)).body.total).toBe(1);
    expect((await members.get('/users?role=admin')).status).toBe(403);
    expect((await members.get('/users?role=nobody')).status).toBe(403);
    expect(
      (await (await limited('users:read', 'memberships:read', 'roles:read')).get('/users?role=admin')).status,
    ).toBe(200);
  });

  it('is refused with a pointer for what is no role, and in long lists of memberships', async () => {
    for (const role of ['', ' ', 'a b', `${'x'.repeat(101)}`, Array(11).fill('a').join()])
      expect(pointersOf(await acme.get(`/users?role=${encodeURIComponent(role)}`))[0]).toMatch(/^#\/role/);
    await lengthen(api, org, 'MEMBERSHIP', 40_000);
    try {
      const refused = await acme.get('/users?role=admin');
      expect([refused.status, refused.body.type, pointersOf(refused)]).toEqual([
        400,
        'urn:problem-type:custodia:too-many-matches',
        ['#/role'],
      ]);
    } finally {
      await lengthen(api, org, 'MEMBERSHIP', -40_000);
    }
  });
});

describe('a telephone number', () => {
  it('finds clients and users by its digits', async () => {
    for (const phone of ['351210000000', '+351 210 000 000', '(351) 210-000-000', '1,+351210000000'])
      for (const [list, found] of [
        ['clients', 'bistro'],
        ['users', 'ana'],
      ])
        expect(await named(`/${list}?phone=${encodeURIComponent(phone)}`)).toEqual([found]);
    // A plus that was not encoded arrives as a blank.
    expect(await named('/clients?phone=+351210000000')).toEqual(['bistro']);
    expect(await named('/users?phone=351')).toEqual([]);
    expect(await named('/clients?phone=null')).toEqual(['tasca']);
    expect(await named('/users?phone=null,351210000000')).toEqual(['zoe', 'ana']);
    expect(await named('/clients?phone_min=1')).toEqual(['bistro']);
    const refused = await acme.get('/users?phone=ask%20Ana');
    expect(refused.body.errors).toMatchObject([
      { pointer: '#/phone', detail: expect.stringMatching(/^must have a digit/) },
    ]);
    expect((await acme.get(`/users?phone=${randomUUID().repeat(2)}`)).status).toBe(400);
  });
});
