import { randomUUID } from 'node:crypto';
import type { Table } from '@custodia/counted-lists';
import { kmsOf } from '@custodia/lean-dynamodb';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { localConnection } from '#local-dynamodb';
import { RequestSession, Tenant, tableOf } from '#table';
import { dataKeyCache } from '#tenancy';
import * as endpointSecrets from '../../functions/events/endpoints/secrets.ts';
import {
  type EnvelopeEncryption,
  envelopeEncryption,
  localDataKeys,
  UndecryptableText,
} from '../../shared/auth/envelope-encryption.ts';
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

const tenantOf = (orgId: string) =>
  Tenant.of(aCaller(orgId), new RequestSession(table, clockAt(Date.UTC(2026, 10, 23)), Date.UTC(2026, 10, 24)));

/** A container that has just started. */
function container(): EnvelopeEncryption {
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', kms.endpoint);
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  return envelopeEncryption(kmsDataKeys('master', () => kmsOf(table.client)));
}

const LOCAL = envelopeEncryption(localDataKeys(Buffer.alloc(32, 7)));

it.each([
  ['KMS', container],
  ['a local key', () => LOCAL],
])('an endpoint’s secret is decrypted for its endpoint, its tenant and its purpose alone, under %s', async (_, box) => {
  const [owner, secret] = [{ tenant: tenantOf(randomUUID()), id: randomUUID() }, endpointSecrets.generate()];
  const sealed = await endpointSecrets.seal(owner, secret, box());
  expect(await endpointSecrets.open(owner, sealed, box())).toBe(secret);
  for (const other of [
    { ...owner, id: randomUUID() },
    { ...owner, tenant: tenantOf(randomUUID()) },
  ])
    await expect(endpointSecrets.open(other, sealed, box())).rejects.toThrow(UndecryptableText);
  const record = `webhook-endpoint/${owner.id}`;
  await expect(box().decrypt(sealed, { tenant: owner.tenant.id, record })).rejects.toThrow(UndecryptableText);
});

it('KMS is told the purpose, of a data key that the tenant keeps for it', async () => {
  const tenant = tenantOf(randomUUID());
  // It has a data key for secrets of other kinds already.
  await container().encrypt('secret', { tenant: tenant.id, record: 'app/acme' }, dataKeyCache(tenant));
  kms.contexts.length = 0;
  const owners = [
    { tenant, id: 'one' },
    { tenant, id: 'two' },
  ];
  const [one = '', two = ''] = await Promise.all(
    owners.map((owner) => endpointSecrets.seal(owner, 'secret', container())),
  );
  const reader = container();
  await Promise.all([
    endpointSecrets.open({ tenant, id: 'one' }, one, reader),
    endpointSecrets.open({ tenant, id: 'two' }, two, reader),
  ]);
  expect(new Set(kms.contexts.map((context) => JSON.stringify(context)))).toEqual(
    new Set([JSON.stringify({ tenant: tenant.id, purpose: 'webhook-endpoints' })]),
  );
  expect(one.split('.')[1]).toBe(two.split('.')[1]);
});
