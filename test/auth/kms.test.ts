import { createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { kmsOf } from '@custodia/lean-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { environmentEncryption, environmentPublicKeys, InvalidToken, issueToken, verifyToken } from '#auth';
import { environmentTable } from '#table';
import { envelopeEncryption, UndecryptableText } from '../../shared/auth/envelope-encryption.ts';
import { kmsDataKeys } from '../../shared/auth/kms-data-keys.ts';
import { derToJose } from '../../shared/auth/kms-keys.ts';
import { type FakeKms, startFakeKms } from './fake-kms.ts';

const identity = { integrationId: crypto.randomUUID(), appCode: 'acme', orgId: null, tokenEpoch: 0, secretId: null };

let kms: FakeKms;
beforeAll(async () => {
  kms = await startFakeKms();
});
afterAll(() => kms.stop());
beforeEach(() => {
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', kms.endpoint);
  vi.stubEnv('AWS_REGION', 'eu-west-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  vi.stubEnv('KEY_FILE', '');
  vi.stubEnv('TABLE_NAME', 'unused');
  kms.calls.length = 0;
});

const ownKms = () => kmsOf(environmentTable().client);
const callsOf = (operation: string): number => kms.calls.filter((call) => call === operation).length;

describe('keys in KMS', () => {
  it.each(['ed25519-one', 'p256-one'])('sign tokens that verify: %s', async (keyId) => {
    vi.stubEnv('SIGNING_KEY_ID', keyId);
    const token = await issueToken(identity, Date.now());
    await expect(verifyToken(token, Date.now())).resolves.toMatchObject(identity);
  });

  it('are two while they rotate', async () => {
    vi.stubEnv('SIGNING_KEY_ID', 'ed25519-old');
    const token = await issueToken(identity, Date.now());
    vi.stubEnv('SIGNING_KEY_ID', 'ed25519-new');
    await expect(verifyToken(token, Date.now())).rejects.toThrow(InvalidToken);
    vi.stubEnv('VERIFICATION_KEY_IDS', 'ed25519-old');
    await expect(verifyToken(token, Date.now())).resolves.toMatchObject(identity);
  });

  it('are read once', async () => {
    vi.stubEnv('SIGNING_KEY_ID', 'ed25519-once');
    await Promise.all([environmentPublicKeys(), environmentPublicKeys()]);
    await environmentPublicKeys();
    expect(callsOf('GetPublicKey')).toBe(1);
  });

  it('are asked for where none are set', async () => {
    vi.stubEnv('SIGNING_KEY_ID', '');
    await expect(issueToken(identity, Date.now())).rejects.toThrow('SIGNING_KEY_ID is not set');
  });

  it('have ECDSA signatures that turn from DER to what JWS wants, whatever their leading bytes', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const publicKey = createPublicKey(privateKey.export({ format: 'pem', type: 'pkcs8' }));
    for (let message = 0; message < 2_000; message++) {
      const bytes = Buffer.from(String(message));
      const raw = derToJose(sign('sha256', bytes, privateKey));
      expect(raw.length).toBe(64);
      expect(verify('sha256', bytes, { key: publicKey, dsaEncoding: 'ieee-p1363' }, raw)).toBe(true);
    }
  });
});

describe('secrets under KMS', () => {
  it('open for their own tenant and record only', async () => {
    vi.stubEnv('SECRETS_KEY_ID', 'master');
    const box = await environmentEncryption();
    const place = { tenant: crypto.randomUUID(), record: 'service/1' };
    const encrypted = await box.encrypt('secret', place);
    expect(await box.decrypt(encrypted, place)).toBe('secret');
    for (const other of [
      { ...place, tenant: crypto.randomUUID() },
      { ...place, record: 'service/2' },
    ]) {
      await expect(box.decrypt(encrypted, other)).rejects.toThrow(UndecryptableText);
    }
  });

  it('cost one call for a tenant, not one for each record', async () => {
    const place = (record: number) => ({ tenant: 'a', record: `service/${record}` });
    const writer = envelopeEncryption(kmsDataKeys('master', ownKms));
    const encrypted = await Promise.all(
      Array.from({ length: 200 }, (_, record) => writer.encrypt(`${record}`, place(record))),
    );
    expect(kms.calls).toEqual(['GenerateDataKey']);
    const reader = envelopeEncryption(kmsDataKeys('master', ownKms));
    const opened = await Promise.all(encrypted.map((text, record) => reader.decrypt(text, place(record))));
    expect(opened).toEqual(Array.from({ length: 200 }, (_, record) => `${record}`));
    expect(kms.calls).toEqual(['GenerateDataKey', 'Decrypt']);
  });

  it('are under a new data key when the old one has been kept long enough', async () => {
    const box = envelopeEncryption(kmsDataKeys('master', ownKms, { lifetime: 0 }));
    const place = { tenant: 'b', record: 'service/1' };
    const encrypted = [await box.encrypt('one', place), await box.encrypt('two', place)];
    expect(callsOf('GenerateDataKey')).toBe(2);
    expect(await Promise.all(encrypted.map((text) => box.decrypt(text, place)))).toEqual(['one', 'two']);
  });

  it('are not lost to one failure of KMS', async () => {
    const box = envelopeEncryption(kmsDataKeys('master', ownKms));
    const place = { tenant: 'c', record: 'service/1' };
    const encrypted = await box.encrypt('one', place);
    const other = envelopeEncryption(kmsDataKeys('master', ownKms));
    await expect(other.decrypt(encrypted, { ...place, tenant: 'd' })).rejects.toThrow(UndecryptableText);
    expect(await other.decrypt(encrypted, place)).toBe('one');
  });
});
