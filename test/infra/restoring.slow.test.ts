import { randomUUID } from 'node:crypto';
import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonBody, OrgAccess } from '../support/api.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import { dumpOf } from '../support/table-dump.ts';
import { deploy, type RunningStack } from './account/deploy.ts';

/**
 * A stage whose table was restored to a point in time, and what then is as `docs/operations.md` says: the restored table is a copy of the first stage's,
 * made before the last of what happened there.
 */

const context = { firstKey: 'true', rateLimit: '1000000' };

/** What a restore does: the items, under another name. */
async function copyOf(table: FreshTable): Promise<FreshTable> {
  const copy = await freshTable();
  const puts = (await dumpOf(table)).map((Item) => ({ PutRequest: { Item } }));
  while (puts.length > 0) {
    await copy.client.send(new BatchWriteItemCommand({ RequestItems: { [copy.tableName]: puts.splice(0, 25) } }));
  }
  return copy;
}

/** All items that do not expire meanwhile. */
const lastingIn = async (table: FreshTable) => (await dumpOf(table)).filter((item) => item.TTL === undefined);

let before: RunningStack;
let after: RunningStack;
let org: OrgAccess;
/** Made before the point in time, and after it. */
let kept: string;
let lost: string;
/** Of a key that was cut off after it, and of one that was given another secret. */
let cutOff: JsonBody;
let rotated: JsonBody;
let newSecret: string;
let written: readonly object[];

const KEY = randomUUID();
const create = async (stage: RunningStack, path: string, body: JsonBody, headers = {}): Promise<JsonBody> => {
  const response = await stage.request<JsonBody>('POST', path, { token: org.token, body, headers });
  expect(response.status, JSON.stringify([response.body, stage.account.refusals])).toBe(201);
  return response.body;
};
const integration = () => ({ app_code: `app-${randomUUID().slice(0, 8)}`, display_name: 'Partner' });
const loginStatus = async (stage: RunningStack, app_code: unknown, secret: unknown): Promise<number> =>
  (await stage.request('POST', '/api/v1/auth/login', { body: { app_code, secret } })).status;

beforeAll(async () => {
  before = await deploy(context);
  org = await before.orgToken('Acme');
  cutOff = await create(before, '/api/v1/integrations', integration());
  rotated = await create(before, '/api/v1/integrations', integration());
  kept = String((await create(before, '/api/v1/clients', { name: 'Kept', slug: 'kept' })).id);
  const restored = await copyOf(before.table);

  lost = String(
    (await create(before, '/api/v1/clients', { name: 'Lost', slug: 'lost' }, { 'idempotency-key': KEY })).id,
  );
  const { token } = org;
  await before.request('PATCH', `/api/v1/integrations/${cutOff.id}`, { token, body: { status: 'inactive' } });
  const rotation = await create(before, `/api/v1/integrations/${rotated.id}/rotate-secret`, { previous_valid_for: 0 });
  newSecret = String(rotation.secret);
  expect(await loginStatus(before, cutOff.app_code, cutOff.secret)).toBe(401);
  expect(await loginStatus(before, rotated.app_code, rotated.secret)).toBe(401);
  expect(await loginStatus(before, rotated.app_code, newSecret)).toBe(200);

  written = await lastingIn(before.table);
  const { kms, platform } = before;
  after = await deploy(
    { ...context, restoredTable: restored.tableName },
    { before: { kms, platform, table: restored } },
  );
});
afterAll(async () => {
  await after?.close();
  await before?.close();
});

describe('a stage that adopts a restored table', () => {
  it('has what there was at that time, with lists and totals that agree, and goes on', async () => {
    const { token } = org;
    const list = await after.request<{ data: { id: string }[]; total: number }>('GET', '/api/v1/clients', { token });
    expect([list.body.total, list.body.data.map(({ id }) => id)]).toEqual([1, [kept]]);
    expect((await after.request('GET', `/api/v1/clients/${lost}`, { token })).status).toBe(404);
    const made = await create(after, '/api/v1/clients', { name: 'Later', slug: 'lost' }, { 'idempotency-key': KEY });
    expect(made.id).not.toBe(lost);
    expect(after.account.refusals).toEqual([]);
  });

  it('lets keys in that were cut off since, and takes secrets that were rotated since, and not the new ones', async () => {
    expect(await loginStatus(after, cutOff.app_code, cutOff.secret)).toBe(200);
    expect(await loginStatus(after, rotated.app_code, rotated.secret)).toBe(200);
    expect(await loginStatus(after, rotated.app_code, newSecret)).toBe(401);
  });

  it('is verified by the operator, who finds it named in the outputs', async () => {
    expect(after.stack.outputs.TableName).toBe(after.table.tableName);
    for (const id of [org.orgId, 'platform']) {
      const { code, stdout } = await after.operator('verify', '--org', id);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/Differences: 0\./)]);
    }
  });

  it('writes nothing to the table of before', async () => {
    expect(await lastingIn(before.table)).toEqual(written);
  });
});
