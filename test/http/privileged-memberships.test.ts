import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { configureTable } from '#table';
import type { JsonBody } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { GatedHandler } from '../support/gate.ts';
import { type Key, keyMadeBy, rotate } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { callsOf, pointsAt } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/**
 * Memberships carry privileges for the systems that show them. The gateway caches the authorizer's responses for 60 s
 * here, as in AWS.
 */

const CREATE = '/api/v1/users/memberships';
const WRITER = { permissions: ['memberships:write', 'clients:write'] };

const gate = new GatedHandler();
const api = useApi({ firstKey: false });

beforeAll(() => configureTable({ ...localConnection(), requestHandler: gate }));
const org = prepared(() => api.orgToken());
const owner = prepared(() => callsOf(api, org.token));
const platform = prepared(async () => callsOf(api, await api.platformToken()));
let writer: Key;
let roles: Readonly<Record<'plain' | 'strong' | 'system', string>>;
let person: string;
let superadmin: string;
beforeAll(async () => {
  const role = async (fields: JsonBody) =>
    (await platform.create('/api/v1/roles', { org_id: org.orgId, code: randomUUID(), label: 'x', ...fields })).id;
  roles = {
    plain: await role({}),
    strong: await role({ permissions: ['clients:write'] }),
    system: await role({ is_system: true }),
  };
  const user = async (fields: JsonBody) =>
    (await platform.create(`/api/v1/users?org_id=${org.orgId}`, { email: `${randomUUID()}@acme.example`, ...fields }))
      .id;
  [person, superadmin] = [await user({}), await user({ is_superadmin: true })];
});
beforeEach(async () => {
  writer = await keyMadeBy(api, owner, WRITER);
  await writer.ask('GET', `/api/v1/users/${person}/memberships`);
});

const member = (fields: JsonBody, by = platform) =>
  by.create(CREATE, { user_id: person, org_id: org.orgId, ...fields }).then(({ id }) => String(id));
const pathOf = (id: string) => `/api/v1/memberships/${id}`;

/** The same by HTTP and by webhook, both refused. */
async function expectRefused(ids: { readonly id?: string }, fields: JsonBody, pointer?: string): Promise<void> {
  const { id } = ids;
  const asked =
    id === undefined ? await writer.ask('POST', CREATE, fields) : await writer.ask('PATCH', pathOf(id), fields);
  expect([asked.status, asked.body.errors]).toEqual([403, pointer && pointsAt(pointer)]);
  const event_type = id === undefined ? 'membership.created' : 'membership.updated';
  const delivered = await deliver(api, writer, { event_type, data: { ...ids, ...fields } });
  expect([delivered.status, delivered.body.errors]).toEqual([403, pointer && pointsAt(`data/${pointer}`)]);
}

describe('a key with memberships:write', () => {
  it('gives no system role, to a new membership or an existing one', async () => {
    const list = `/api/v1/users/${person}/memberships`;
    const id = await member({});
    const before = await owner.read(list);
    await expectRefused({}, { user_id: person, role_id: roles.system }, 'role_id');
    await expectRefused({ id }, { role_id: roles.system }, 'role_id');
    expect(await owner.read(list)).toEqual(before);
  });

  it.each<[string, () => JsonBody]>([
    ['ends', () => ({ status: 'inactive' })],
    ['takes away', () => ({ role_id: null })],
    ['replaces', () => ({ role_id: roles.plain })],
    ['remarks on', () => ({ metadata: { why: 'x' } })],
  ])('%s no membership with a system role, and none of a superadmin', async (_, fields) => {
    for (const given of [{ role_id: roles.system }, { user_id: superadmin, role_id: roles.strong }]) {
      const id = await member(given);
      const before = await owner.read(pathOf(id));
      await expectRefused({ id }, fields());
      expect(await owner.read(pathOf(id))).toEqual(before);
      expect((await platform.ask('PATCH', `${pathOf(id)}?org_id=${org.orgId}`, fields())).status).toBe(200);
    }
  });

  it('sends back what it has read, and gives and ends other memberships', async () => {
    const id = await member({ role_id: roles.system });
    const { created_at, ...record } = await writer.read(pathOf(id));
    expect((await writer.ask('PATCH', pathOf(id), record)).status).toBe(200);
    const own = await member({ user_id: superadmin, role_id: roles.strong }, writer);
    expect((await writer.ask('PATCH', pathOf(own), { status: 'inactive' })).status).toBe(403);
    const other = await member({ role_id: roles.strong }, writer);
    expect((await writer.ask('PATCH', pathOf(other), { role_id: roles.plain, status: 'inactive' })).status).toBe(200);
  });
});

const TOKENS_END = 'told that its tokens end';
const cuts: readonly [string, number, (key: Key) => Promise<{ readonly status: number }>][] = [
  ['set inactive', 401, (key) => owner.ask('PATCH', key.path, { status: 'inactive' })],
  ['narrowed', 403, (key) => owner.ask('PATCH', key.path, { permissions: ['memberships:read'] })],
  [TOKENS_END, 401, (key) => owner.ask('POST', `${key.path}/revoke-tokens`)],
  ['given another secret', 401, (key) => rotate(owner, key, { previous_valid_for: 0 })],
];

describe.each(cuts)('a key that was %s', (how, status, cut) => {
  it('gives and ends no role that has permissions', async () => {
    const [having, without] = [await member({ role_id: roles.strong }), await member({})];
    expect((await cut(writer)).status).toBeLessThan(300);
    const responses = [
      await writer.ask('POST', CREATE, { user_id: person, role_id: roles.strong }),
      await writer.ask('PATCH', pathOf(without), { role_id: roles.strong }),
      await writer.ask('PATCH', pathOf(having), { role_id: null }),
      await writer.ask('PATCH', pathOf(having), { status: 'inactive' }),
    ];
    expect(responses.map((response) => response.status)).toEqual(responses.map(() => status));
    expect(await owner.read(pathOf(having))).toMatchObject({ role_id: roles.strong, status: 'active' });
    expect(await owner.read(pathOf(without))).toMatchObject({ role_id: null });
  });

  it('gives none with a request that was under way', async () => {
    const arrived = gate.hold('TransactWriteItems');
    const giving = writer.ask('POST', CREATE, { user_id: person, role_id: roles.strong });
    const release = await arrived;
    await cut(writer);
    release();
    expect((await giving).status).toBe(status);
  });

  it('gives none by a webhook that was under way', async () => {
    const { data } = await owner.read(`/api/v1/users/${person}/memberships`);
    const arrived = gate.hold('TransactWriteItems');
    const event = { event_type: 'membership.created', data: { user_id: person, role_id: roles.strong } };
    const delivering = deliver(api, writer, event);
    const release = await arrived;
    await cut(writer);
    release();
    // After its tokens were ended, it still signs, and its credentials are read again.
    const isAllowed = (await delivering).status === 200;
    const after = (await owner.read(`/api/v1/users/${person}/memberships`)).data;
    expect([isAllowed, after.length - data.length]).toEqual(how === TOKENS_END ? [true, 1] : [false, 0]);
  });
});

it('a platform key that was cut off gives no system role', async () => {
  const clerk = await keyMadeBy(api, platform, { org_id: null });
  await clerk.read('/api/v1/permissions');
  expect((await platform.ask('PATCH', clerk.path, { status: 'inactive' })).status).toBe(200);
  const given = { user_id: person, org_id: org.orgId, role_id: roles.system };
  expect((await clerk.ask('POST', CREATE, given)).status).toBe(401);
});
