import { randomUUID } from 'node:crypto';
import { DeleteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Key } from '@custodia/counted-lists';
import { beforeAll, describe, expect, it } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { configureTable, environmentTable, type TenantId } from '#table';
import { accessItems, signInKey } from '#tenancy';
import { differencesOf, named } from '../operator/damaged-tenant.ts';
import { GatedHandler } from '../support/gate.ts';
import { keyMadeBy } from '../support/keys.ts';
import { newTenant, pointsAt } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** Users are let in by `membership_access` of their organization (`functions/orgs/sign-in.ts`). */

const gate = new GatedHandler();
const api = useApi();
beforeAll(() => configureTable({ ...localConnection(), requestHandler: gate }));

const slugOf = () => `s-${randomUUID()}`;
async function newOrganization(slug = slugOf()) {
  const owner = await newTenant(api);
  const path = `/api/v1/orgs/${owner.orgId}`;
  const change = (body: object, by = owner as typeof owner | Awaited<ReturnType<typeof keyMadeBy>>) =>
    by.ask('PATCH', path, body);
  await change({ slug });
  return { owner, slug, path, change, tenant: owner.orgId as TenantId };
}
async function item(key: Key) {
  const { client, name } = environmentTable();
  return (await client.send(new GetCommand({ TableName: name, Key: { ...key }, ConsistentRead: true }))).Item;
}
const on = { membership_access: true };

describe('membership_access', () => {
  it('is off at first, and lets users in where a caller with all permissions switches it on', async () => {
    const { owner, slug, path, change, tenant } = await newOrganization();
    expect(await owner.read(path)).toMatchObject({ membership_access: false });
    expect(await item(signInKey(tenant))).toBeUndefined();
    expect((await change(on)).body).toMatchObject(on);
    expect(await item(signInKey(tenant))).toMatchObject({ version: 1, ...on, providers: [], slug });
    expect(await item(accessItems.signInNameKey(slug))).toMatchObject({ tenant });
    const [event] = (await owner.read('/api/v1/audit-events')).data;
    expect(event).toMatchObject({ record_type: 'Organization', changed_fields: ['membership_access'] });
    expect((await change({ membership_access: false })).status).toBe(200);
    expect(await item(signInKey(tenant))).toMatchObject({ version: 2, membership_access: false, slug: null });
    expect(await item(accessItems.signInNameKey(slug))).toBeUndefined();
  });

  it('is changed by no weaker key, and neither is the slug meanwhile', async () => {
    const { owner, change } = await newOrganization();
    const weak = await keyMadeBy(api, owner, { permissions: ['orgs:write'] });
    const refused = await change(on, weak);
    expect([refused.status, refused.body.errors]).toEqual([403, pointsAt('membership_access')]);
    expect((await change({ slug: slugOf(), membership_access: false }, weak)).status).toBe(200);
    await change(on);
    const later = await change({ slug: slugOf() }, weak);
    expect([later.status, later.body.errors]).toEqual([403, pointsAt('slug')]);
    expect((await change({ name: 'x' }, weak)).status).toBe(200);
  });

  it('is not switched by a key that is cut off while the request is under way', async () => {
    const { owner, change, tenant } = await newOrganization();
    const other = await keyMadeBy(api, owner);
    const arrived = gate.hold('TransactWriteItems');
    const switching = change(on, other);
    const release = await arrived;
    expect((await owner.ask('PATCH', other.path, { status: 'inactive' })).status).toBe(200);
    release();
    expect((await switching).status).toBe(401);
    expect(await item(signInKey(tenant))).toBeUndefined();
  });
});

describe('the slug by which users sign in', () => {
  it('is of one organization at a time, and moves with its slug', async () => {
    const [one, other] = [await newOrganization(), await newOrganization()];
    await other.change({ slug: one.slug });
    await one.change(on);
    const refused = await other.change(on);
    expect([refused.status, refused.body.errors]).toEqual([409, pointsAt('membership_access')]);
    const moved = slugOf();
    await one.change({ slug: moved });
    expect(await item(accessItems.signInNameKey(moved))).toMatchObject({ tenant: one.tenant });
    expect((await other.change(on)).status).toBe(200);
    expect(await item(accessItems.signInNameKey(one.slug))).toMatchObject({ tenant: other.tenant });
    const back = await one.change({ slug: one.slug });
    expect([back.status, back.body.errors]).toEqual([409, pointsAt('slug')]);
  });

  it('is given to one of two that ask at once', async () => {
    const slug = slugOf();
    const both = [await newOrganization(slug), await newOrganization(slug)];
    const statuses = await Promise.all(both.map(async ({ change }) => (await change(on)).status));
    expect(statuses.toSorted()).toEqual([200, 409]);
  });
});

it('custodia verify repairs what users are let in by', async () => {
  const { slug, change, tenant } = await newOrganization();
  await change(on);
  const { client, name } = environmentTable();
  for (const key of [signInKey(tenant), accessItems.signInNameKey(slug)]) {
    await client.send(new DeleteCommand({ TableName: name, Key: { ...key } }));
    expect(named(await differencesOf(tenant, true))).toEqual(['user-access ORG']);
    expect(await differencesOf(tenant)).toEqual([]);
    expect(await item(signInKey(tenant))).toMatchObject({ ...on, slug });
    expect(await item(accessItems.signInNameKey(slug))).toMatchObject({ tenant });
  }
});
