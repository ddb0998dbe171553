import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { configureTable, environmentTable } from '#table';
import { endpointEntity } from '../../functions/events/store.ts';
import type { JsonBody } from '../support/api.ts';
import { GatedHandler } from '../support/gate.ts';
import { type Key, keyMadeBy, rotate } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { openTenant } from '../support/storage.ts';
import { type Calls, callsOf, expectNoDifference } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/**
 * Who may say where the events of an integration go (`docs/decisions/0201-events.md`). The gateway caches the
 * authorizer's response for the standard 60 s, as in AWS.
 */

const gate = new GatedHandler();
const api = useApi({ firstKey: false, report: () => undefined });
beforeAll(() => configureTable({ ...localConnection(), requestHandler: gate }));
const org = prepared(() => api.orgToken());
const owner = prepared(() => callsOf(api, org.token));

const ENDPOINTS = '/api/v1/webhook-endpoints';
const MINE = { url: 'https://mine.example/in' };
const EVIL = { url: 'https://evil.example/in' };
const create = (by: Calls, fields: JsonBody = {}) => by.create(ENDPOINTS, { ...MINE, ...fields });
const stored = async (id: string) =>
  (await openTenant(environmentTable(), org.orgId).records(endpointEntity).get(id))?.record;

/** Every request that says where events go, which, from where on, or with whose signature. */
const powerful = (by: Calls, id: string) =>
  [
    () => by.ask('PATCH', `${ENDPOINTS}/${id}`, EVIL),
    () => by.ask('PATCH', `${ENDPOINTS}/${id}`, { event_types: ['client.created'] }),
    () => by.ask('PATCH', `${ENDPOINTS}/${id}`, { payload: 'record' }),
    () => by.ask('PATCH', `${ENDPOINTS}/${id}`, { batch_size: 7 }),
    () => by.ask('PATCH', `${ENDPOINTS}/${id}`, { status: 'paused' }),
    () => by.ask('PATCH', `${ENDPOINTS}/${id}`, { status: 'active' }),
    () => by.ask('POST', `${ENDPOINTS}/${id}/rotate-secret`, {}),
    () => by.ask('POST', `${ENDPOINTS}/${id}/ping`),
    () => by.ask('POST', `${ENDPOINTS}/${id}/replay`, { from: 'oldest' }),
    () => by.ask('DELETE', `${ENDPOINTS}/${id}`),
  ] as const;
const statusesOf = async (requests: ReturnType<typeof powerful>) => {
  const statuses: number[] = [];
  for (const request of requests) statuses.push((await request()).status);
  return [...new Set(statuses)];
};

const keyWith = async (permissions: readonly string[] | null): Promise<Key> => {
  const key = await keyMadeBy(api, owner, { permissions });
  // The gateway caches the authorizer's response.
  await key.read('/api/v1/permissions');
  return key;
};
const READ = ['permissions:read'];
const WRITE = ['webhook-endpoints:write', ...READ];

describe('a key with fewer permissions than the integration of an endpoint', () => {
  const weak = prepared(() => keyWith(WRITE));

  it('reads it without its secret, and may change only its description', async () => {
    const { secret, ...endpoint } = await create(owner);
    expect(await weak.read(`${ENDPOINTS}/${endpoint.id}`)).toEqual(endpoint);
    expect(await statusesOf(powerful(weak, endpoint.id))).toEqual([403]);
    const { status } = await weak.ask('PATCH', `${ENDPOINTS}/${endpoint.id}`, { description: 'x' });
    expect(status).toBe(200);
    expect(await stored(endpoint.id)).toMatchObject({ ...MINE, status: 'unverified', description: 'x' });
  });

  it('creates none for it, and one for itself, which gets what the key may read', async () => {
    const { status } = await weak.ask('POST', ENDPOINTS, { ...EVIL, integration_id: org.integrationId });
    expect(status).toBe(403);
    const { id } = await create(weak);
    expect((await stored(id))?.confirmed.permissions).toEqual(WRITE);
  });

  it('loses an endpoint of its own to a wider one, until a key with all permissions confirms it', async () => {
    const [one, other] = [await keyWith(WRITE), await keyWith(WRITE)];
    const { id } = await create(one);
    expect((await other.ask('PATCH', `${ENDPOINTS}/${id}`, { url: 'https://other.example/in' })).status).toBe(200);
    await owner.ask('PATCH', one.path, { permissions: [...WRITE, 'clients:read'] });
    // What was confirmed before is what a worker compares: it is not what the integration has now.
    expect((await stored(id))?.confirmed.permissions).toEqual(WRITE);
    expect(await statusesOf(powerful(other, id))).toEqual([403]);
    expect((await owner.ask('PATCH', `${ENDPOINTS}/${id}`, { status: 'active' })).status).toBe(200);
    expect((await stored(id))?.confirmed.permissions).toEqual([...WRITE, 'clients:read']);
  });
});

it('a key that only reads endpoints changes none', async () => {
  const key = await keyWith(['webhook-endpoints:read', ...READ]);
  const { id } = await create(owner);
  expect(await statusesOf(powerful(key, id))).toEqual([403]);
  expect((await key.ask('POST', ENDPOINTS, MINE)).status).toBe(403);
  expect((await key.ask('PATCH', `${ENDPOINTS}/${id}`, { description: 'x' })).status).toBe(403);
});

describe('a key that was cut off a second ago', () => {
  let key: Key;
  let id: string;
  beforeEach(async () => {
    key = await keyWith(null);
    id = (await create(key)).id;
  });

  it.each([
    ['its tokens were ended', (one: Key) => owner.ask('POST', `${one.path}/revoke-tokens`)],
    ['it is inactive', (one: Key) => owner.ask('PATCH', one.path, { status: 'inactive' })],
    ['its secret was replaced', (one: Key) => rotate(owner, one, { previous_valid_for: 0 })],
  ])('has no power over endpoints: %s', async (_, cutOff) => {
    expect([200, 201]).toContain((await cutOff(key)).status);
    const refused = await statusesOf(powerful(key, id));
    // An integration that is inactive keeps no endpoint active.
    expect(refused.filter((status) => status !== 409)).toEqual([401]);
    expect([401, 409]).toContain((await key.ask('POST', ENDPOINTS, MINE)).status);
    // The gateway still lets it describe one.
    expect((await key.ask('PATCH', `${ENDPOINTS}/${id}`, { description: 'Bye' })).status).toBe(200);
    expect(await stored(id)).toMatchObject(MINE);
  });

  it('may do nothing more once it is restricted', async () => {
    await owner.ask('PATCH', key.path, { permissions: WRITE });
    const { id: strong } = await create(owner);
    expect(await statusesOf(powerful(key, strong))).toEqual([403]);
  });

  it('cannot commit what it began before', async () => {
    const held = gate.hold('TransactWriteItems');
    const changing = key.ask('PATCH', `${ENDPOINTS}/${id}`, EVIL);
    const release = await held;
    await owner.ask('POST', `${key.path}/revoke-tokens`);
    release();
    expect((await changing).status).toBe(401);
    expect(await stored(id)).toMatchObject(MINE);
  });
});

it('a change confirms the permissions that it has read, and none that are added meanwhile', async () => {
  const key = await keyWith(WRITE);
  const { id } = await create(key);
  const held = gate.hold('TransactWriteItems');
  const changing = owner.ask('PATCH', `${ENDPOINTS}/${id}`, { url: 'https://new.example/in' });
  const release = await held;
  await owner.ask('PATCH', key.path, { permissions: [...WRITE, 'clients:read'] });
  release();
  expect((await changing).status).toBe(200);
  expect((await stored(id))?.confirmed.permissions).toEqual([...WRITE, 'clients:read']);
});

it('each request that needs the permissions of the integration confirms them', async () => {
  const key = await keyWith(WRITE);
  const { id } = await create(key);
  for (const [index, request] of powerful(owner, id).slice(0, -1).entries()) {
    const permissions = index % 2 === 0 ? [...WRITE, 'clients:read'] : WRITE;
    await owner.ask('PATCH', key.path, { permissions });
    expect((await request()).status).toBeLessThan(300);
    expect((await stored(id))?.confirmed.permissions, `request ${index}`).toEqual(permissions);
  }
});

it('an endpoint that is paused meanwhile is not pinged', async () => {
  const { id } = await create(owner);
  const held = gate.hold('TransactWriteItems');
  const pinging = owner.ask('POST', `${ENDPOINTS}/${id}/ping`);
  const release = await held;
  await owner.ask('PATCH', `${ENDPOINTS}/${id}`, { status: 'paused' });
  release();
  expect((await pinging).status).toBe(409);
});

it('an inactive integration gets no endpoint, and no request activates one of its endpoints', async () => {
  const key = await keyWith(WRITE);
  const { id } = await create(key);
  await owner.ask('PATCH', `${ENDPOINTS}/${id}`, { status: 'paused' });
  await owner.ask('PATCH', key.path, { status: 'inactive' });
  expect((await owner.ask('POST', ENDPOINTS, { ...MINE, integration_id: key.id })).status).toBe(409);
  expect((await owner.ask('PATCH', `${ENDPOINTS}/${id}`, { status: 'active' })).status).toBe(409);
  expect((await owner.ask('PATCH', `${ENDPOINTS}/${id}`, { url: 'https://new.example/in' })).status).toBe(200);
});

it('endpoints and integrations of another tenant do not exist', async () => {
  const outsider = callsOf(api, (await api.orgToken()).token);
  const { id } = await create(owner);
  const requests = powerful(outsider, id);
  for (const [index] of requests.entries()) {
    await expectNoDifference(404, (tried) => powerful(outsider, tried)[index]?.() ?? Promise.reject(), id);
  }
  await expectNoDifference(404, (tried) => outsider.ask('GET', `${ENDPOINTS}/${tried}/attempts`), id);
  const make = (integration_id: string) => outsider.ask('POST', ENDPOINTS, { ...EVIL, integration_id });
  await expectNoDifference(422, make, org.integrationId);
  const detail = 'names no integration of the organization';
  expect((await make(org.integrationId)).body.errors).toEqual([{ in: 'body', pointer: '#/integration_id', detail }]);
});
