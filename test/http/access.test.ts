import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { type Api, startApi } from '../support/api.ts';
import { type Calls, callsOf, newTenant } from '../support/tenant-calls.ts';

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
});
