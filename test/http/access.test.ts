import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { type Api, startApi } from '../support/api.ts';
import { type Calls, callsOf, newTenant, pointsAt } from '../support/tenant-calls.ts';

const ROLES = '/api/v1/roles';
const PERMISSIONS = '/api/v1/permissions';

let api: Api;
let acme: Calls & { readonly orgId: string };
let rival: Calls & { readonly orgId: string };
let platform: Calls;

beforeAll(async () => {
  api = await startApi();
  [acme, rival] = await Promise.all([newTenant(api), newTenant(api)]);
  platform = callsOf(api, await api.platformToken());
});
afterAll(() => api.close());

describe('roles', () => {
  it('are created with their defaults', async () => {
    const { status, body } = await acme.ask('POST', ROLES, { code: 'support', label: 'Support' });
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        org_id: acme.orgId,
        code: 'support',
        label: 'Support',
        description: null,
        is_system: false,
        permissions: null,
        created_at: expect.any(String),
      },
    ]);
  });

  it('keep every field that was given, but for those the service sets', async () => {
    const fields = { org_id: acme.orgId, code: randomUUID(), label: 'Ünïcode', description: 'Answers tickets' };
    const role = await acme.create(ROLES, { ...fields, created_at: null });
    expect(role).toMatchObject({ ...fields, created_at: expect.any(String) });
  });

  it('have a code of their own in the tenant, also for 16 callers at once', async () => {
    const code = randomUUID();
    const attempts = Array.from({ length: 16 }, () => acme.ask('POST', ROLES, { code, label: 'x' }));
    const answers = await Promise.all(attempts);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(15).fill(409)]);
    expect(answers.find(({ status }) => status === 409)?.body.errors).toEqual(pointsAt('code'));
    await rival.create(ROLES, { code, label: 'x' });
  });

  it.each([
    ['no code', { code: undefined }, 'code'],
    ['a code with a space', { code: 'first level' }, 'code'],
    ['no label', { label: undefined }, 'label'],
    ['a numeric label', { label: 1 }, 'label'],
    ['an organization that is no UUID', { org_id: 'acme' }, 'org_id'],
    ['an unknown field', { colour: 'red' }, 'colour'],
  ])('refuse %s', async (_, fields, field) => {
    const { status, body } = await acme.ask('POST', ROLES, { code: randomUUID(), label: 'x', ...fields });
    expect([status, body.errors]).toEqual([422, pointsAt(field)]);
  });

  it('are listed by pages, newest first, of the own organization', async () => {
    const org = await newTenant(api);
    for (const code of ['a', 'b', 'c']) await org.create(ROLES, { code, label: code });
    const page = await org.ask('GET', `${ROLES}?org_id=${org.orgId}&page_size=2`);
    expect(page.body).toMatchObject({ page: 1, page_size: 2, total: 3, data: [{ code: 'c' }, { code: 'b' }] });
    expect(page.headers.get('link')).toContain('page=2>; rel="next"');
    expect((await acme.ask('GET', `${ROLES}?org_id=${org.orgId}`)).status).toBe(403);
    expect((await acme.ask('GET', `${ROLES}?org_id=${randomUUID()}`)).status).toBe(403);
    expect((await acme.ask('GET', `${ROLES}?org_id=acme`)).status).toBe(400);
  });

  it('of an organization are the platform caller’s to name', async () => {
    const org = await newTenant(api);
    const ours = await platform.create(ROLES, { org_id: org.orgId, code: 'lead', label: 'Lead' });
    expect(ours).toMatchObject({ org_id: org.orgId });
    const own = await platform.create(ROLES, { org_id: null, code: randomUUID(), label: 'Staff' });
    expect(own).toMatchObject({ org_id: null });
    expect((await platform.read(`${ROLES}?org_id=${org.orgId}`)).data).toEqual([ours]);
    expect((await platform.read(ROLES)).data.map(({ id }) => id)).toContain(own.id);
    expect((await org.read(ROLES)).data).toEqual([ours]);
    const nowhere = { org_id: randomUUID(), code: 'lead', label: 'Lead' };
    expect((await platform.ask('POST', ROLES, nowhere)).status).toBe(422);
    expect((await acme.ask('POST', ROLES, { ...nowhere, org_id: rival.orgId })).status).toBe(403);
  });
});

describe('permissions', () => {
  it('are all that the routes name, in order, with ids that never change', async () => {
    const { data, total } = await acme.read(`${PERMISSIONS}?page_size=200`);
    const named = contracts.flatMap(({ routes }) =>
      Object.values(routes).flatMap(({ permission }) => permission ?? []),
    );
    const ofFields = ['resources:credentials', 'services:credentials'];
    expect(data.map(({ code }) => code)).toEqual([...new Set([...named, ...ofFields])].sort());
    expect(total).toBe(data.length);
    expect(data).toContainEqual({
      id: '36f80d5e-1441-56cb-b5f9-b1b7964d034f',
      code: 'clients:read',
      description: 'Read clients',
    });
    expect(new Set(data.map(({ id }) => id)).size).toBe(total);
    expect(new Set(data.map(({ description }) => description)).size).toBe(total);
  });

  it('go by pages, and are the same for everybody', async () => {
    const page = await acme.ask('GET', `${PERMISSIONS}?page=2&page_size=3`);
    const all = await platform.read(`${PERMISSIONS}?page_size=200`);
    expect(page.body).toEqual({ data: all.data.slice(3, 6), page: 2, page_size: 3, total: all.total });
    expect(page.headers.get('link')).toContain(`<${PERMISSIONS}?page_size=3&page=3>; rel="next"`);
    expect(await acme.read(`${PERMISSIONS}?page=1000000000`)).toMatchObject({ data: [], total: all.total });
  });

  it.each(['page=0', 'page_size=0', 'page_size=201', 'page=1e3', 'sort=created_at'])('refuse ?%s', async (query) => {
    const { status, body } = await acme.ask('GET', `${PERMISSIONS}?${query}`);
    expect([status, body.errors]).toEqual([400, [expect.objectContaining({ in: 'query' })]]);
  });
});
