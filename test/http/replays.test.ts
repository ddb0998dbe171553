import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonBody, RequestOptions } from '../support/api.ts';
import { INTEGRATIONS, type Key, keyMadeBy, loginWith, register, rotate } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { type Calls, callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/**
 * Repeating a request never shows more than a new request would: for every first response, every caller, and every age
 * of the token.
 */

const api = useApi({ firstKey: false });
const org = prepared(() => api.orgToken());
const owner = prepared(() => callsOf(api, org.token));
let key: Key;
beforeEach(async () => {
  key = await keyMadeBy(api, owner);
  await key.read('/api/v1/permissions');
});

const underKey = () => ({ headers: { 'idempotency-key': randomUUID() } });
const change = (of: Pick<Key, 'path'>, body: JsonBody) => owner.ask('PATCH', of.path, body);
const anotherToken = async () => callsOf(api, await api.login(key.appCode, key.secret));

type Reply = Awaited<ReturnType<Calls['ask']>>;
const isReplay = ({ headers }: Reply) => headers.get('idempotent-replayed') === 'true';

describe('a secret in a repeated response', () => {
  it('is shown to the token that asked, which may have lost the first response', async () => {
    const options = underKey();
    const fields = { app_code: `app-${randomUUID()}` };
    const [first, second] = [await register(key, fields, options), await register(key, fields, options)];
    expect([isReplay(first), isReplay(second), second.body]).toEqual([false, true, first.body]);
    expect(await loginWith(api, fields.app_code, second.body.secret)).toBe(200);
  });

  it('is not shown to another token of the same integration: the record is, without it', async () => {
    const other = await anotherToken();
    const [creation, rotation] = [underKey(), underKey()];
    const fields = { app_code: `app-${randomUUID()}` };
    for (const ask of [
      (by: Calls) => register(by, fields, creation),
      (by: Calls) => rotate(by, key, { previous_valid_for: 60 }, rotation),
    ]) {
      const [first, second] = [await ask(key), await ask(other)];
      expect([first.status, second.status, isReplay(second)]).toEqual([201, 201, true]);
      expect(second.body).toEqual({ ...first.body, secret: null });
      expect(first.body.secret).toMatch(/^cst_/);
    }
  });

  it('is not shown to a token that the rotation ended, neither one that leaked nor the one that asked', async () => {
    const leaked = key;
    const owning = await anotherToken();
    const options = underKey();
    const body = { previous_valid_for: 0 };
    const first = await rotate(owning, key, body, options);
    const stolen = await rotate(leaked, key, body, options);
    expect([first.status, stolen.body.secret]).toEqual([201, null]);
    expect(JSON.stringify(stolen.body)).not.toContain(first.body.secret);
    // It has ended its own token, too.
    const again = await rotate(owning, key, body, options);
    expect([again.status, isReplay(again), again.body.secret]).toEqual([201, true, null]);
    expect(first.body.secret).toMatch(/^cst_/);
  });

  it.each<[string, JsonBody]>([
    ['inactive', { status: 'inactive' }],
    ['narrower than when it asked', { permissions: ['integrations:write', 'integrations:read', 'permissions:read'] }],
  ])('is not shown to a key that is %s', async (_, cut) => {
    const options = underKey();
    const fields = { app_code: `app-${randomUUID()}` };
    const first = await register(key, fields, options);
    expect((await change(key, cut)).status).toBe(200);
    const again = await register(key, fields, options);
    expect([first.status, again.status, isReplay(again), again.body.secret]).toEqual([201, 201, true, null]);
  });

  it.each<[string, (by: Calls, of: Key, options: RequestOptions) => ReturnType<Calls['ask']>]>([
    ['rotation', (by, of, options) => rotate(by, of, { previous_valid_for: 0 }, options)],
    ['creation', (by, { appCode }, options) => register(by, { app_code: appCode, permissions: [] }, options)],
  ])('is not shown to whoever may reach that integration no more: %s', async (what, ask) => {
    const permissions = ['integrations:write', 'permissions:read'];
    const narrow = await keyMadeBy(api, owner, { permissions });
    const options = underKey();
    const other =
      what === 'rotation'
        ? await keyMadeBy(api, owner, { permissions: [] })
        : { ...key, appCode: `app-${randomUUID()}` };
    const first = await ask(narrow, other, options);
    expect([first.status, first.body.secret]).toEqual([201, expect.stringMatching(/^cst_/)]);
    expect((await ask(narrow, other, options)).body.secret).toBe(first.body.secret);
    const path = `${INTEGRATIONS}/${first.body.id}`;
    expect((await change({ path }, { permissions: null })).status).toBe(200);
    expect((await rotate(narrow, { path })).status).toBe(403);
    const again = await ask(narrow, other, options);
    expect([again.status, isReplay(again), again.body.secret]).toEqual([201, true, null]);
  });

  it('is not shown once the secret of the token that asked is good no more', async () => {
    const options = underKey();
    const fields = { app_code: `app-${randomUUID()}` };
    const first = await register(key, fields, options);
    expect(first.body.secret).toMatch(/^cst_/);
    for (let turn = 0; turn < 2; turn++) expect((await rotate(owner, key)).status).toBe(201);
    expect((await register(key, fields, options)).body.secret).toBeNull();
  });

  it('is not shown once somebody else has ended the token that asked', async () => {
    const options = underKey();
    const body = { previous_valid_for: 60 };
    expect((await rotate(key, key, body, options)).body.secret).toMatch(/^cst_/);
    expect((await rotate(key, key, body, options)).body.secret).toMatch(/^cst_/);
    expect((await owner.ask('POST', `${key.path}/revoke-tokens`)).status).toBe(200);
    expect((await rotate(key, key, body, options)).body.secret).toBeNull();
  });
});

describe.each([
  ['services', { name: 'Shop', type: 'web' }],
  ['resources', { name: 'Server', type: 'vm' }],
])('the credentials in a repeated creation of %s', (area, fields) => {
  const path = `/api/v1/${area}`;
  const usual = [`${area}:read`, `${area}:write`, 'permissions:read'];
  const credentials = { user: 'root', password: randomUUID() };
  let client_id: string;
  beforeAll(async () => {
    client_id = (await owner.create('/api/v1/clients', { name: 'Acme' })).id;
  });

  it('are null to a key that may see them no more, as in the record', async () => {
    const seeing = await keyMadeBy(api, owner, { permissions: [...usual, `${area}:credentials`] });
    const options = underKey();
    const raw = JSON.stringify({ client_id, ...fields, credentials, metadata: { rate: '#' } }).replace('"#"', '1.50');
    const create = (token: string) =>
      api.request('POST', path, { token, raw, headers: { ...options.headers, 'content-type': 'application/json' } });
    const first = await create(seeing.token);
    expect([first.status, first.body.credentials]).toEqual([201, credentials]);
    expect((await create(seeing.token)).body).toEqual(first.body);

    expect((await change(seeing, { permissions: usual })).status).toBe(200);
    const token = await api.login(seeing.appCode, seeing.secret);
    const again = await create(token);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(again.body).toEqual({ ...first.body, credentials: null });
    const record = await api.request('GET', `${path}/${first.body.id}`, { token });
    expect([again.body, again.headers.get('etag')]).toEqual([record.body, record.headers.get('etag')]);
  });
});

it('a repeated creation by a key without the permission of its route is refused', async () => {
  const writer = await keyMadeBy(api, owner, { permissions: ['clients:write', 'permissions:read'] });
  const options = underKey();
  expect((await writer.ask('POST', '/api/v1/clients', { name: 'Acme' }, options)).status).toBe(201);
  await change(writer, { permissions: ['permissions:read'] });
  const token = await api.login(writer.appCode, writer.secret);
  const again = await callsOf(api, token).ask('POST', '/api/v1/clients', { name: 'Acme' }, options);
  expect([again.status, again.body.name]).toEqual([403, undefined]);
});

it('nobody repeats a request of another integration', async () => {
  const options = underKey();
  const fields = { app_code: `app-${randomUUID()}` };
  expect((await register(owner, fields, options)).status).toBe(201);
  expect((await register(key, fields, options)).status).toBe(409);
  expect(
    (await owner.read(`${INTEGRATIONS}?page_size=200`)).data.filter(({ app_code }) => app_code === fields.app_code),
  ).toHaveLength(1);
});
