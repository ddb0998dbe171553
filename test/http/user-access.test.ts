import { randomUUID } from 'node:crypto';
import { DeleteCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { configureTable, environmentTable, type Tenant, type TenantId } from '#table';
import { type UserAccess, userAccessKey } from '#tenancy';
import { membershipsOf } from '../../functions/access/user-access.ts';
import { differencesOf, named } from '../operator/damaged-tenant.ts';
import type { JsonBody } from '../support/api.ts';
import { GatedHandler } from '../support/gate.ts';
import { prepared } from '../support/prepared.ts';
import { newTenant } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/** The access item of a user (`functions/access/user-access.ts`). Random histories: the property test beside. */

const gate = new GatedHandler();
const api = useApi();
beforeAll(() => configureTable({ ...localConnection(), requestHandler: gate }));
const org = prepared(() => newTenant(api));
let role: string;
beforeAll(async () => {
  role = (await org.create('/api/v1/roles', { code: 'reading', label: 'x', permissions: ['tickets:read'] })).id;
});

const newUser = async (fields: JsonBody = {}) =>
  (await org.create('/api/v1/users', { email: `${randomUUID()}@acme.example`, ...fields })).id;
const join = (user_id: string, fields: JsonBody = {}) =>
  org.ask('POST', '/api/v1/users/memberships', { user_id, role_id: role, ...fields });
const change = (id: string, fields: JsonBody) => org.ask('PATCH', `/api/v1/users/${id}`, fields);
const newClient = async () => (await org.create('/api/v1/clients', { name: 'x', slug: randomUUID() })).id;

const keyOf = (id: string) => ({ ...userAccessKey(org.orgId as TenantId, id) });
async function accessOf(id: string): Promise<UserAccess | undefined> {
  const { client, name } = environmentTable();
  const command = new GetCommand({ TableName: name, Key: keyOf(id), ConsistentRead: true });
  return (await client.send(command)).Item as UserAccess | undefined;
}
const forget = (id: string) =>
  environmentTable().client.send(new DeleteCommand({ TableName: environmentTable().name, Key: keyOf(id) }));

describe('the access item', () => {
  it('is made with the user, says who it is, and counts its changes', async () => {
    const id = await newUser({ name: 'Inês' });
    const made = { version: 1, epoch: 0, is_active: true, is_superadmin: false, name: 'Inês', grants: [] };
    expect(await accessOf(id)).toMatchObject(made);
    await change(id, { phone: '+351 1' });
    expect(await accessOf(id)).toMatchObject(made);
    await change(id, { name: null, email: 'ines@access.example' });
    expect(await accessOf(id)).toMatchObject({ version: 2, epoch: 0, name: 'ines@access.example' });
  });

  it('counts that tokens end where the user becomes inactive, and not where it is active again', async () => {
    const id = await newUser();
    for (const [is_active, epoch] of [
      [false, 1],
      [false, 1],
      [true, 1],
      [false, 2],
    ] as const) {
      await change(id, { is_active });
      expect(await accessOf(id)).toMatchObject({ is_active, epoch });
    }
  });

  it('has a membership that is given while the user is set inactive, whichever commits first', async () => {
    const id = await newUser();
    const arrived = gate.hold('TransactWriteItems');
    const joining = join(id);
    const release = await arrived;
    expect((await change(id, { is_active: false })).status).toBe(200);
    release();
    const { status, body } = await joining;
    expect(status).toBe(201);
    const grants = [{ membership_id: body.id, permissions: ['tickets:read'], client_id: null }];
    expect(await accessOf(id)).toMatchObject({ version: 3, epoch: 1, is_active: false, grants });
  });

  it('is not made anew by a membership that is given while the user is deleted', async () => {
    const id = await newUser();
    const arrived = gate.hold('TransactWriteItems');
    const joining = join(id);
    const release = await arrived;
    expect((await org.ask('DELETE', `/api/v1/users/${id}`)).status).toBe(204);
    release();
    expect((await joining).status).toBe(422);
    expect(await accessOf(id)).toBeUndefined();
  });
});

describe('its grants', () => {
  it('are 20 at most: one more is a 409, however it comes, and one that grants nothing is not', async () => {
    const id = await newUser();
    for (let count = 0; count < 20; count++) expect((await join(id)).status).toBe(201);
    const refused = await join(id);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      'The user has 20 active memberships with permissions, as many as there may be. Set another one inactive first.',
    ]);
    expect((await join(id, { role_id: null })).status).toBe(201);
    const { body } = await join(id, { status: 'inactive' });
    const path = `/api/v1/memberships/${body.id}`;
    expect((await org.ask('PATCH', path, { status: 'active' })).status).toBe(409);
    const [first] = (await accessOf(id))?.grants ?? [];
    await org.ask('DELETE', `/api/v1/memberships/${first?.membership_id}`);
    expect((await org.ask('PATCH', path, { status: 'active' })).status).toBe(200);
    expect((await accessOf(id))?.grants).toHaveLength(20);
  });

  it('are in 10 clients at most', async () => {
    const id = await newUser();
    const clients = await Promise.all(Array.from({ length: 11 }, newClient));
    for (const client_id of clients.slice(1)) expect((await join(id, { client_id })).status).toBe(201);
    const refused = await join(id, { client_id: clients[0] });
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('in 10 clients')]);
    expect((await join(id, { client_id: clients[1] })).status).toBe(201);
  });

  it('take the place that they had, when they change', async () => {
    const id = await newUser();
    const [client_id, other] = [await newClient(), await newClient()];
    const { body } = await join(id, { client_id });
    await join(id, { client_id: other });
    const writing = await org.create('/api/v1/roles', { code: 'writing', label: 'x', permissions: ['tickets:write'] });
    await org.ask('PATCH', `/api/v1/memberships/${body.id}`, { role_id: writing.id });
    expect((await accessOf(id))?.grants).toMatchObject([
      { membership_id: body.id, permissions: ['tickets:write'], client_id },
      { permissions: ['tickets:read'], client_id: other },
    ]);
  });
});

describe('a user that is older than access items', () => {
  it('gets one of its memberships with the next change, and no earlier token fits', async () => {
    const id = await newUser();
    const { body: first } = await join(id);
    await forget(id);
    const { body: second } = await join(id, { client_id: await newClient() });
    const access = await accessOf(id);
    expect(access?.grants.map(({ membership_id }) => membership_id)).toEqual([first.id, second.id]);
    expect(access?.epoch).toBeGreaterThan(1_700_000_000);
  });

  it('is deleted as others are', async () => {
    const id = await newUser();
    await forget(id);
    expect((await org.ask('DELETE', `/api/v1/users/${id}`)).status).toBe(204);
  });
});

describe('custodia verify', () => {
  it('finds and repairs an item that says something else, is missing, or is of a deleted user', async () => {
    const [more, missing, gone] = [await newUser(), await newUser({ name: 'Rui' }), await newUser()];
    for (const id of [more, missing]) await join(id);
    const kept = await accessOf(gone);
    await org.ask('DELETE', `/api/v1/users/${gone}`);
    await forget(missing);
    const { client, name: TableName } = environmentTable();
    const grant = { membership_id: randomUUID(), permissions: ['clients:write'], client_id: null };
    for (const [id, grants] of [
      [more, [grant]],
      [gone, kept?.grants],
    ] as const)
      await client.send(
        new UpdateCommand({
          TableName,
          Key: keyOf(id),
          UpdateExpression: 'SET grants = :grants, is_active = :yes, is_superadmin = :no, version = :one, epoch = :one',
          ExpressionAttributeValues: { ':grants': grants, ':yes': true, ':no': false, ':one': 1 },
        }),
      );
    const found = await differencesOf(org.orgId, true);
    expect(named(found)).toEqual(['user-access USER', 'user-access USER', 'user-access USER']);
    expect(found.map(({ id, repaired }) => [id, repaired])).toEqual(
      expect.arrayContaining([more, missing, gone].map((id) => [id, true])),
    );
    expect(await differencesOf(org.orgId)).toEqual([]);
    expect(await accessOf(more)).toMatchObject({ version: 2, epoch: 1, grants: [{ permissions: ['tickets:read'] }] });
    expect(await accessOf(missing)).toMatchObject({ name: 'Rui', grants: [{ permissions: ['tickets:read'] }] });
    expect(await accessOf(gone)).toBeUndefined();
  });
});

it('all memberships of a user are read, on however many pages', async () => {
  const pages = [...'abc'].map((page, index, all) => ({ records: [page], next: all[index + 1] }));
  const cursorPage = async ({ after = 'a' }) => pages.find(({ records }) => records[0] === after);
  const tenant = { records: () => ({ cursorPage }) } as unknown as Tenant;
  expect(await membershipsOf(tenant, randomUUID())).toEqual(['a', 'b', 'c']);
});
