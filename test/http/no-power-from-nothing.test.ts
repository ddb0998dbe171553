import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { configureTable } from '#table';
import type { JsonBody } from '../support/api.ts';
import type { BatchResult } from '../support/batch-result.ts';
import { deliver } from '../support/deliver.ts';
import { GatedHandler } from '../support/gate.ts';
import { type Key, keyMadeBy } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { newTenant, pointsAt } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/**
 * Who makes a role, gives or changes a membership, or changes who a user is, has all permissions that these carry
 * (`docs/decisions/0070`), whichever way the request comes.
 */

const gate = new GatedHandler();
const api = useApi({ firstKey: false });
beforeAll(() => configureTable({ ...localConnection(), requestHandler: gate }));

const owner = prepared(() => newTenant(api));
const ADMINISTRATOR = ['roles:write', 'memberships:write', 'users:write', 'tickets:read'];
let weak: Key;
let roles: Readonly<Record<'none' | 'reading' | 'writing', string>>;
beforeAll(async () => {
  weak = await keyMadeBy(api, owner, { permissions: ADMINISTRATOR });
  const role = async (permissions: readonly string[] | null) =>
    (await owner.create('/api/v1/roles', { code: randomUUID(), label: 'x', permissions })).id;
  roles = {
    none: await role(null),
    reading: await role(['tickets:read']),
    writing: await role(['tickets:write', 'clients:read']),
  };
});

const user = async () => (await owner.create('/api/v1/users', { email: `${randomUUID()}@acme.example` })).id;
const MEMBERSHIPS = '/api/v1/users/memberships';
const member = async (fields: JsonBody) => (await owner.create(MEMBERSHIPS, fields)).id;

const EVENTS = {
  createRole: 'role.created',
  createMembership: 'membership.created',
  updateMembership: 'membership.updated',
  deleteMembership: 'membership.deleted',
  updateUser: 'user.updated',
} as const;

/** The request over HTTP, in a batch, and as a webhook. @returns status and field errors, which are the same for all */
async function refusal(
  operation: keyof typeof EVENTS,
  method: string,
  path: string,
  body: JsonBody | undefined,
  ids: JsonBody = {},
) {
  const asked = await weak.ask(method, path, body);
  const batch = await weak.ask('POST', '/api/v1/batch', {
    operations: [{ key: 'a', operation, params: ids, ...(body && { body }) }],
  });
  const { status, problem } = (batch.body as unknown as { readonly results: readonly [BatchResult] }).results[0];
  const delivered = await deliver(api, weak, { event_type: EVENTS[operation], data: { ...ids, ...body } });
  const pointers = asked.body.errors?.map(({ pointer }) => pointer);
  expect([status, delivered.status]).toEqual([asked.status, asked.status]);
  expect(problem?.errors?.map(({ pointer }) => pointer)).toEqual(pointers);
  const ofEvent = Object(delivered.body).errors as readonly JsonBody[] | undefined;
  expect(ofEvent?.map(({ pointer }) => String(pointer).replace('#/data/', '#/'))).toEqual(pointers);
  return [asked.status, asked.body.errors];
}

describe('a role', () => {
  const make = (permissions: readonly string[] | null) =>
    weak.ask('POST', '/api/v1/roles', { code: randomUUID(), label: 'x', permissions });

  it('is made with permissions that its maker has, or with none, and grants nothing then', async () => {
    for (const permissions of [null, [], ['tickets:read'], ['users:read']])
      expect((await make(permissions)).status).toBe(201);
  });

  it('is not made with others', async () => {
    const fields = { code: randomUUID(), label: 'x', permissions: ['tickets:read', 'tickets:write'] };
    expect(await refusal('createRole', 'POST', '/api/v1/roles', fields)).toEqual([403, pointsAt('permissions/1')]);
    expect((await owner.read('/api/v1/roles')).data).not.toContainEqual(expect.objectContaining({ code: fields.code }));
  });
});

describe('a membership', () => {
  it('gets no role that carries more than its giver has', async () => {
    const user_id = await user();
    const given = { user_id, role_id: roles.writing };
    expect(await refusal('createMembership', 'POST', MEMBERSHIPS, given)).toEqual([403, pointsAt('role_id')]);
    for (const role_id of [roles.none, roles.reading]) {
      const id = (await weak.create(MEMBERSHIPS, { user_id, role_id })).id;
      const asked = { role_id: roles.writing };
      const path = `/api/v1/memberships/${id}`;
      expect(await refusal('updateMembership', 'PATCH', path, asked, { id })).toEqual([403, pointsAt('role_id')]);
      expect((await weak.ask('PATCH', path, { role_id: null, status: 'inactive' })).status).toBe(200);
    }
  });

  it('with such a role is not deleted by whom it exceeds, and another one is', async () => {
    const id = await member({ user_id: await user(), role_id: roles.writing });
    const path = `/api/v1/memberships/${id}`;
    expect((await refusal('deleteMembership', 'DELETE', path, undefined, { id }))[0]).toBe(403);
    expect(await owner.read(path)).toMatchObject({ role_id: roles.writing });
    const weaker = await member({ user_id: await user(), role_id: roles.reading });
    expect((await weak.ask('DELETE', `/api/v1/memberships/${weaker}`)).status).toBe(204);
  });

  it.each<[string, JsonBody]>([
    ['given back', { role_id: null }],
    ['ended', { status: 'inactive' }],
    ['described', { metadata: { why: 'x' } }],
  ])('with such a role is not %s by whom it exceeds', async (_, fields) => {
    const id = await member({ user_id: await user(), role_id: roles.writing });
    const path = `/api/v1/memberships/${id}`;
    expect((await refusal('updateMembership', 'PATCH', path, fields, { id }))[0]).toBe(403);
    expect(await owner.read(path)).toMatchObject({ role_id: roles.writing, status: 'active', metadata: null });
  });
});

describe('a user', () => {
  const withRoles = async (role_ids: readonly string[], fields: JsonBody = {}) => {
    const id = await user();
    for (const role_id of role_ids) await member({ user_id: id, role_id, ...fields });
    return id;
  };

  it.each<[string, JsonBody]>([
    ['active', {}],
    ['inactive, which somebody may activate', { status: 'inactive' }],
  ])('with more permissions, by a membership that is %s, keeps its address and stays active', async (_, fields) => {
    const id = await withRoles([roles.reading, roles.writing], fields);
    const before = await owner.read(`/api/v1/users/${id}`);
    for (const asked of [{ email: `${randomUUID()}@acme.example` }, { is_active: false }]) {
      const path = `/api/v1/users/${id}`;
      expect(await refusal('updateUser', 'PATCH', path, asked, { id })).toEqual([403, undefined]);
    }
    expect(await owner.read(`/api/v1/users/${id}`)).toEqual(before);
    expect((await weak.ask('PATCH', `/api/v1/users/${id}`, { name: 'Eva' })).status).toBe(200);
    expect((await owner.ask('PATCH', `/api/v1/users/${id}`, { is_active: false })).status).toBe(200);
  });

  it('with no more permissions gets another address', async () => {
    const id = await withRoles([roles.none, roles.reading]);
    const asked = { email: `${randomUUID()}@acme.example`, is_active: false };
    expect((await weak.ask('PATCH', `/api/v1/users/${id}`, asked)).status).toBe(200);
  });

  it('in more than twenty roles is for who has all permissions', async () => {
    const made = Array.from({ length: 21 }, () => owner.create('/api/v1/roles', { code: randomUUID(), label: 'x' }));
    const id = await withRoles((await Promise.all(made)).map((role) => role.id));
    expect((await weak.ask('PATCH', `/api/v1/users/${id}`, { is_active: false })).status).toBe(403);
    expect((await owner.ask('PATCH', `/api/v1/users/${id}`, { is_active: false })).status).toBe(200);
  });
});

it('whoever loses such a permission while a request is under way does nothing with it', async () => {
  const id = await user();
  await member({ user_id: id, role_id: roles.reading });
  const requests: readonly (readonly [string, string, JsonBody])[] = [
    ['POST', '/api/v1/roles', { code: randomUUID(), label: 'x', permissions: ['tickets:read'] }],
    ['POST', MEMBERSHIPS, { user_id: id, role_id: roles.reading }],
    ['PATCH', `/api/v1/users/${id}`, { is_active: false }],
  ];
  for (const [method, path, fields] of requests) {
    const key = await keyMadeBy(api, owner, { permissions: ADMINISTRATOR });
    const arrived = gate.hold('TransactWriteItems');
    const asked = key.ask(method, path, fields);
    const release = await arrived;
    const kept = ADMINISTRATOR.filter((code) => code !== 'tickets:read');
    expect((await owner.ask('PATCH', key.path, { permissions: kept })).status).toBe(200);
    release();
    expect((await asked).status).toBe(403);
  }
});
