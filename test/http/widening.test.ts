import { randomUUID } from 'node:crypto';
import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { configureTable, environmentTable } from '#table';
import type { JsonBody } from '../support/api.ts';
import { placeOfCredentials } from '../support/credentials.ts';
import { deliver } from '../support/deliver.ts';
import { GatedHandler } from '../support/gate.ts';
import { INTEGRATIONS, type Key, keyMadeBy, loginWith, register, rotate } from '../support/keys.ts';
import { prepared } from '../support/prepared.ts';
import { type Calls, callsOf } from '../support/tenant-calls.ts';
import { useApi } from '../support/use-api.ts';

/**
 * Secrets that a weak key knows do not become stronger: a caller that has created an integration, or rotated its
 * secret, cannot log in with that secret once the integration has more permissions than the caller had. The gateway
 * caches the authorizer's responses for 60 s here, as in AWS.
 */

const WEAK = ['integrations:write', 'clients:read'];

const gate = new GatedHandler();
const api = useApi();
beforeAll(() => configureTable({ ...localConnection(), requestHandler: gate }));
const org = prepared(() => api.orgToken());
const owner = prepared(() => callsOf(api, org.token));
const platform = prepared(async () => callsOf(api, await api.platformToken()));
let weak: Key;
beforeEach(async () => {
  weak = await keyMadeBy(api, owner, { permissions: WEAK });
});

type Permissions = readonly string[] | null;
const permit = (of: Pick<Key, 'path'>, permissions: Permissions, by = owner, more: JsonBody = {}) =>
  by.ask('PATCH', of.path, { permissions, ...more });
const made = (permissions: Permissions, by: Calls = weak, more: JsonBody = {}) =>
  keyMadeBy(api, by, { permissions, ...more });
const rotatedBy = async (by: Calls, key: Key) => String((await rotate(by, key)).body.secret);

/** Whether a secret works for a login and a delivery. */
async function opens({ appCode }: Pick<Key, 'appCode'>, secret: unknown): Promise<readonly number[]> {
  const delivered = await deliver(api, { appCode, secret: String(secret) }, { event_type: 'secret.tried', data: {} });
  return [await loginWith(api, appCode, secret), delivered.status];
}
const OPEN = [200, 200];
const SHUT = [401, 401];

type Reply = Awaited<ReturnType<Calls['ask']>>;

/** Expects that the change has ended so many secrets, and given the integration a new one. */
async function expectEnded(key: Key, { status, body, headers }: Reply, count = 1): Promise<void> {
  const { secret, ended_secrets, ...record } = body;
  expect([status, ended_secrets, secret]).toEqual([200, count, expect.stringMatching(/^cst_[\w-]{43}$/)]);
  expect([headers.get('cache-control'), headers.get('etag')]).toEqual(['no-store', null]);
  expect(await opens(key, secret)).toEqual(OPEN);
  const inOrg = `${key.path}?org_id=${org.orgId}`;
  expect(await platform.read(inOrg)).toEqual(record);
}

describe('an integration that a weak key has made', () => {
  it('loses its secret and its tokens when it may do more, and its owner gets a new secret', async () => {
    const key = await made(WEAK);
    expect((await register(key, { permissions: [] })).status).toBe(201);
    await expectEnded(key, await permit(key, null));
    expect(await opens(key, key.secret)).toEqual(SHUT);
    expect((await register(key, { permissions: [] })).status).toBe(401);
    const { data } = await owner.read(`/api/v1/audit-events?record_id=${key.id}`);
    const change = data.find(({ operation }) => operation === 'updateIntegration');
    expect(change?.changed_fields).toEqual(['permissions', 'secret', 'tokens']);
  });

  it('loses it also where it is inactive, and where as much is taken away as is given', async () => {
    const [sleeping, exchanged] = [await made(['clients:read']), await made(['clients:read'])];
    const responses = [
      await permit(sleeping, null, owner, { status: 'inactive' }),
      await permit(exchanged, ['users:read']),
    ];
    expect(responses.map(({ status, body }) => [status, body.ended_secrets])).toEqual([
      [200, 1],
      [200, 1],
    ]);
    await owner.ask('PATCH', sleeping.path, { status: 'active' });
    for (const [index, key] of [sleeping, exchanged].entries()) {
      expect(await opens(key, key.secret)).toEqual(SHUT);
      expect(await opens(key, responses[index]?.body.secret)).toEqual(OPEN);
    }
  });

  it.each<[string, Permissions, Permissions]>([
    ['all that the weak key has', ['clients:read'], WEAK],
    ['reading beside writing', ['integrations:write'], ['integrations:write', 'integrations:read']],
    ['the same in another order', WEAK, WEAK.toReversed()],
    ['less', WEAK, ['clients:read']],
    ['nothing', WEAK, []],
  ])('keeps it where it gets %s', async (_, before, after) => {
    const key = await made(before);
    const { status, body } = await permit(key, after);
    expect([status, body]).toEqual([200, await owner.read(key.path)]);
    expect(await opens(key, key.secret)).toEqual(OPEN);
  });

  it('of the platform in an organization is no exception', async () => {
    const clerk = await made(WEAK, platform, { org_id: null });
    const key = await made(['clients:read'], clerk, { org_id: org.orgId });
    await expectEnded(key, await permit(key, null));
    expect(await opens(key, key.secret)).toEqual(SHUT);
  });
});

describe('an integration that a strong key has made', () => {
  it('keeps its secret, whatever it gets', async () => {
    const key = await made(['clients:read'], owner);
    expect((await permit(key, null)).body).toEqual(await owner.read(key.path));
    expect(await opens(key, key.secret)).toEqual(OPEN);
  });

  it('loses the one that a weak key gave it quietly, and keeps the one before for its time', async () => {
    const key = await made(['clients:read'], owner);
    const quiet = await rotatedBy(weak, key);
    expect(await opens(key, key.secret)).toEqual(OPEN);
    await expectEnded(key, await permit(key, ['clients:read', 'users:read']));
    expect([await opens(key, quiet), await opens(key, key.secret)]).toEqual([SHUT, OPEN]);
  });

  it('needs no new one where only the one before is a weak key’s', async () => {
    const key = await made(['clients:read'], owner);
    const quiet = await rotatedBy(weak, key);
    const newest = await rotatedBy(owner, key);
    const { status, body } = await permit(key, null);
    expect([status, body]).toEqual([200, { ...(await owner.read(key.path)), ended_secrets: 1 }]);
    expect([await opens(key, quiet), await opens(key, newest)]).toEqual([SHUT, OPEN]);
  });
});

describe('the secret of', () => {
  it('a first key is known with no permissions', async () => {
    const { body } = await api.request('POST', INTEGRATIONS, {
      body: { app_code: `app-${randomUUID()}`, display_name: 'First', permissions: ['clients:read'] },
    });
    const key = { appCode: String(body.app_code), path: `${INTEGRATIONS}/${body.id}?org_id=${body.org_id}` };
    const { body: after } = await permit(key, ['clients:read', 'users:read'], platform);
    expect(after.ended_secrets).toBe(1);
    expect([await opens(key, body.secret), await opens(key, after.secret)]).toEqual([SHUT, OPEN]);
  });

  it('an integration from before this was noted is known with what the integration has', async () => {
    const key = await made(['clients:read', 'users:read'], owner);
    const place = await placeOfCredentials(key.appCode);
    await environmentTable().client.send(
      new UpdateCommand({ ...place, UpdateExpression: 'REMOVE secrets[0].known_with' }),
    );
    expect((await permit(key, ['clients:read'])).body.ended_secrets).toBeUndefined();
    await expectEnded(key, await permit(key, ['clients:read', 'tickets:read']));
    expect(await opens(key, key.secret)).toEqual(SHUT);
  });

  it('a maker that was narrowed is known with what was left to it, not with what the gateway remembers', async () => {
    const clerk = await made([...WEAK, 'users:read'], owner);
    await clerk.ask('POST', `${INTEGRATIONS}/${randomUUID()}/rotate-secret`, {});
    expect((await permit(clerk, WEAK)).status).toBe(200);
    const key = await made(['clients:read'], owner);
    const quiet = await rotatedBy(clerk, key);
    const another = await made(['clients:read'], clerk);
    for (const [one, known] of [
      [key, quiet],
      [another, another.secret],
    ] as const) {
      await expectEnded(one, await permit(one, ['clients:read', 'users:read']));
      expect(await opens(one, known)).toEqual(SHUT);
    }
  });
});

describe('two at once', () => {
  it('a weak key that rotates while its integration gets more is refused', async () => {
    const key = await made(['clients:read']);
    const arrived = gate.hold('TransactWriteItems');
    const rotating = rotate(weak, key);
    const release = await arrived;
    await expectEnded(key, await permit(key, null));
    release();
    expect((await rotating).status).toBe(403);
  });

  it('an integration that gets more while a weak key rotates loses that secret, too', async () => {
    const key = await made(['clients:read'], owner);
    const arrived = gate.hold('TransactWriteItems');
    const widening = permit(key, null);
    const release = await arrived;
    const quiet = await rotatedBy(weak, key);
    release();
    await expectEnded(key, await widening);
    expect(await opens(key, quiet)).toEqual(SHUT);
  });

  it('a weak key that makes one while it is narrowed is known with what is left', async () => {
    const clerk = await made([...WEAK, 'users:read'], owner);
    const appCode = `app-${randomUUID()}`;
    const arrived = gate.hold('TransactWriteItems');
    const making = register(clerk, { app_code: appCode, permissions: ['clients:read'] });
    const release = await arrived;
    expect((await permit(clerk, WEAK)).status).toBe(200);
    release();
    const { body } = await making;
    const { body: after } = await permit({ path: `${INTEGRATIONS}/${body.id}` }, ['clients:read', 'users:read']);
    expect(after.ended_secrets).toBe(1);
  });
});

it('a repeated request shows nobody a secret that was made to end another, and no item of the table has it', async () => {
  const options = { headers: { 'idempotency-key': randomUUID() } };
  const fields = { app_code: `app-${randomUUID()}`, permissions: ['clients:read'] };
  const first = await register(weak, fields, options);
  expect((await register(weak, fields, options)).body.secret).toBe(first.body.secret);
  const { body } = await permit({ path: `${INTEGRATIONS}/${first.body.id}` }, null, owner);
  expect((await register(weak, fields, options)).body.secret).toBeNull();
  const { client, name } = environmentTable();
  const { Items = [] } = await client.send(new ScanCommand({ TableName: name }));
  expect(body.secret).toMatch(/^cst_/);
  expect(JSON.stringify(Items)).not.toContain(body.secret);
});
