import { randomBytes, randomUUID } from 'node:crypto';
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonBody, OrgAccess } from '../support/api.ts';
import { deliver } from '../support/deliver.ts';
import { idsInEvent, operations, type Scenario, TestTenant } from '../support/scenario.ts';
import { dumpOf, foundIn, type RawItem } from '../support/table-dump.ts';
import { useApi } from '../support/use-api.ts';

/** Plays every operation with secrets in all fields that take or return any; then searches the whole table for them. */

const api = useApi();
let org: OrgAccess;
let testTenant: TestTenant;
const secrets: string[] = [];

/** A secret that can be found anywhere, and that base64, JSON and URLs would encode differently. */
const newSecret = (): string => {
  const secret = `Secret "${randomBytes(24).toString('hex')}" <&/+>`;
  secrets.push(secret);
  return secret;
};
const newCredentials = () => ({ user: 'deploy', password: newSecret(), nested: [{ token: newSecret() }] });

beforeAll(async () => {
  org = await api.orgToken();
  testTenant = new TestTenant(api, org);
  secrets.push(org.secret, org.token, await api.platformToken());
});

/** The scenario with a secret in each field that takes one. */
function withSecrets(scenario: Scenario): Scenario {
  const { body, route, operationId } = scenario;
  if (body === undefined || operationId === 'login') return scenario;
  const fields = Object.keys(route.body?.schema.shape ?? {});
  const more: JsonBody = {
    ...(fields.includes('credentials') ? { credentials: newCredentials() } : {}),
    ...(fields.includes('secret') ? { secret: newSecret() } : {}),
  };
  return { ...scenario, body: { ...body, ...more } };
}

async function play(scenario: Scenario): Promise<JsonBody> {
  const key = scenario.route.method === 'POST' ? { 'idempotency-key': randomUUID() } : undefined;
  const { status, body } = await testTenant.send(scenario, key);
  expect([scenario.operationId, status]).toEqual([scenario.operationId, scenario.route.response.status]);
  return body;
}

async function playEverything(): Promise<void> {
  for (const [operationId] of operations) {
    await play(withSecrets(await testTenant.scenario(operationId)));
    // Also with the unchanged examples: a secret that the service generates is only in the response.
    const { secret } = await play(await testTenant.scenario(operationId));
    if (typeof secret === 'string') secrets.push(secret);
  }
}

async function deliverEverything(): Promise<void> {
  for (const [operationId, { event }] of operations) {
    if (event === undefined) continue;
    const scenario = withSecrets(await testTenant.scenario(operationId));
    const { status } = await deliver(api, org, {
      event_type: event.type,
      data: { ...scenario.body, ...idsInEvent(scenario) },
    });
    expect([event.type, status]).toEqual([event.type, 200]);
  }
  const unknown = { event_type: 'vault.opened', data: { deep: [{ password: newSecret() }] } };
  expect((await deliver(api, org, unknown)).status).toBe(200);
}

describe('the table', () => {
  it('holds no secret that could be read there', async () => {
    await playEverything();
    await deliverEverything();
    const dump = await dumpOf(api.table);
    expect(secrets.length).toBeGreaterThan(20);
    expect(dump.length).toBeGreaterThan(operations.length);
    expect(foundIn(dump, secrets)).toEqual([]);
    // The search finds values that are not secret, so it does see the operations' writes.
    expect(foundIn(dump, [org.appCode, org.orgId, 'vault.opened'])).toHaveLength(3);
  });

  it('would not keep one from the search, in whatever form', async () => {
    const { client, tableName: TableName } = api.table;
    const forms: readonly ((secret: string) => RawItem)[] = [
      (secret) => ({ note: { S: `x ${secret} y` } }),
      (secret) => ({ note: { L: [{ M: { a: { S: secret } } }] } }),
      (secret) => ({ [secret]: { BOOL: true } }),
      (secret) => ({ note: { SS: ['a', secret] } }),
      (secret) => ({ note: { S: JSON.stringify({ a: [{ b: secret }] }) } }),
      (secret) => ({ note: { S: JSON.stringify({ a: JSON.stringify({ b: secret }) }) } }),
      (secret) => ({ note: { S: Buffer.from(secret).toString('base64') } }),
      (secret) => ({ note: { S: `1.local.${Buffer.from(secret).toString('base64url')}` } }),
      (secret) => ({ note: { S: Buffer.from(JSON.stringify({ secret })).toString('base64') } }),
      (secret) => ({ note: { S: Buffer.from(secret).toString('hex') } }),
      (secret) => ({ note: { B: Buffer.from(secret) } }),
    ];
    const planted = forms.map((form) => ({
      secret: newSecret(),
      form,
      Key: { PK: { S: 'PLANTED' }, SK: { S: randomUUID() } },
    }));
    for (const { secret, form, Key } of planted)
      await client.send(new PutItemCommand({ TableName, Item: { ...Key, ...form(secret) } }));
    const sought = planted.map(({ secret }) => secret);
    expect(foundIn(await dumpOf(api.table), [...sought, newSecret()])).toEqual(sought);
    for (const { Key } of planted) await client.send(new DeleteItemCommand({ TableName, Key }));
  });
});
