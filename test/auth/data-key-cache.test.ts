import { randomUUID } from 'node:crypto';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '@custodia/counted-lists';
import { kmsOf } from '@custodia/lean-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { StoredKeyGone } from '#auth';
import { localConnection } from '#local-dynamodb';
import { RequestSession, Tenant, tableOf } from '#table';
import { dataKeyCache } from '#tenancy';
import { type EnvelopeEncryption, envelopeEncryption } from '../../shared/auth/envelope-encryption.ts';
import { kmsDataKeys } from '../../shared/auth/kms-data-keys.ts';
import { aCaller } from '../support/caller.ts';
import { clockAt } from '../support/clock.ts';
import { freshTable } from '../support/dynamodb.ts';
import { type FakeKms, startFakeKms } from './fake-kms.ts';

let kms: FakeKms;
let table: Table;
beforeAll(async () => {
  kms = await startFakeKms();
  const { tableName, endpoint } = await freshTable();
  table = tableOf(tableName, localConnection(endpoint));
});
afterAll(() => kms.stop());
beforeEach(() => {
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', kms.endpoint);
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  kms.calls.length = 0;
});

/** The tenant of a caller at a time, as a request of a container has it. */
function tenantAt(orgId: string, now = Date.now()): Tenant {
  return Tenant.of(aCaller(orgId), new RequestSession(table, clockAt(now), now + 5_000));
}

const ownKms = () => kmsOf(table.client);

/** A container that has just started: it knows no key. */
const container = (): EnvelopeEncryption => envelopeEncryption(kmsDataKeys('master', ownKms));

const encryptIn = (box: EnvelopeEncryption, tenant: Tenant, record: number) =>
  box.encrypt(`${record}`, { tenant: tenant.id, record: `service/${record}` }, dataKeyCache(tenant));
const openAll = (box: EnvelopeEncryption, tenant: string, encrypted: readonly string[]) =>
  Promise.all(encrypted.map((text, record) => box.decrypt(text, { tenant, record: `service/${record}` })));
const numbers = (length: number) => Array.from({ length }, (_, record) => record);

describe('the data key that a tenant keeps', () => {
  it('opens two hundred records of two hundred containers in one call', async () => {
    const org = randomUUID();
    const encrypted: string[] = [];
    for (const record of numbers(200)) encrypted.push(await encryptIn(container(), tenantAt(org), record));
    expect(kms.calls.filter((call) => call === 'GenerateDataKey')).toHaveLength(1);
    kms.calls.length = 0;
    expect(await openAll(container(), org, encrypted)).toEqual(numbers(200).map(String));
    expect(kms.calls).toEqual(['Decrypt']);
  });

  it('is one, also when many containers make the first at once', async () => {
    const org = randomUUID();
    const encrypted = await Promise.all(numbers(16).map((record) => encryptIn(container(), tenantAt(org), record)));
    expect(new Set(encrypted.map((text) => text.split('.')[1])).size).toBe(1);
    expect(await openAll(container(), org, encrypted)).toEqual(numbers(16).map(String));
  });

  it('is another for another tenant and another year', async () => {
    const [org, other] = [randomUUID(), randomUUID()];
    const nextYear = Date.UTC(new Date().getUTCFullYear() + 1, 5, 1);
    const times = [tenantAt(org), tenantAt(other), tenantAt(org, nextYear)];
    const encrypted = await Promise.all(times.map((tenant, record) => encryptIn(container(), tenant, record)));
    expect(new Set(encrypted.map((text) => text.split('.')[1])).size).toBe(3);
  });

  it('alone decrypts what does not carry its key', async () => {
    const [tenant, box] = [tenantAt(randomUUID()), container()];
    const place = { tenant: tenant.id, record: 'request/1' };
    const text = await box.encryptUnderStoredKey('secret', place, dataKeyCache(tenant));
    const open = () => container().decrypt(text, place, (name) => dataKeyCache(tenant, { name }));
    expect(await open()).toBe('secret');
    const Key = { PK: `ORG#${tenant.id}#DATA_KEY`, SK: String(new Date().getUTCFullYear()) };
    await table.client.send(new DeleteCommand({ TableName: table.name, Key }));
    await expect(open()).rejects.toThrow(StoredKeyGone);
  });

  it('of an organization that is being made is stored with it, and not before', async () => {
    const tenant = Tenant.ofNewOrganization(randomUUID(), tenantAt(randomUUID()).session);
    tenant.session.changes.of(tenant.id).put({ PK: `ORG#${tenant.id}#ORG`, SK: tenant.id }, () => new Error('taken'));
    await container().encryptUnderStoredKey('secret', { tenant: tenant.id, record: 'x' }, dataKeyCache(tenant));
    expect(await dataKeyCache(tenant).recall()).toBeUndefined();
    expect(tenant.session.changes.pendingWrites.map(({ key }) => key.PK)).toContain(`ORG#${tenant.id}#DATA_KEY`);
  });

  it('costs a warm container nothing', async () => {
    const [box, org] = [container(), randomUUID()];
    await encryptIn(box, tenantAt(org), 0);
    kms.calls.length = 0;
    const send = vi.spyOn(table.client, 'send');
    await Promise.all(numbers(50).map((record) => encryptIn(box, tenantAt(org), record)));
    expect([kms.calls, send.mock.calls.length]).toEqual([[], 0]);
    send.mockRestore();
  });
});
