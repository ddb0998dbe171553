import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { envelopeEncryption, localDataKeys, UndecryptableText } from '../../shared/encryption/envelope-encryption.ts';

const key = randomBytes(32);
const box = envelopeEncryption(localDataKeys(key));
const place = { tenant: 'a', record: 'service/1' };

describe('a secret box', () => {
  it('gives back any text, encrypted differently each time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string(), fc.string(), async (text, tenant, record) => {
        const encrypted = await box.encrypt(text, { tenant, record });
        expect(await box.decrypt(encrypted, { tenant, record })).toBe(text);
        expect(await box.encrypt(text, { tenant, record })).not.toBe(encrypted);
      }),
    );
  });

  it('opens nothing in another place, even where the names join to the same text', async () => {
    const encrypted = await box.encrypt('secret', place);
    for (const other of [
      { tenant: 'b', record: 'service/1' },
      { tenant: 'a', record: 'service/2' },
      { tenant: 'as', record: 'ervice/1' },
      { tenant: 'a","service', record: '1' },
      { tenant: '', record: '' },
    ]) {
      await expect(box.decrypt(encrypted, other)).rejects.toThrow(UndecryptableText);
    }
  });

  it('opens nothing under another key', async () => {
    const encrypted = await box.encrypt('secret', place);
    await expect(envelopeEncryption(localDataKeys(randomBytes(32))).decrypt(encrypted, place)).rejects.toThrow(
      UndecryptableText,
    );
  });

  it('opens nothing that has changed in any bit', async () => {
    const encrypted = await box.encrypt('secret', place);
    const [version, wrapped, ciphertext = ''] = encrypted.split('.');
    const bytes = Buffer.from(ciphertext, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const text = [version, wrapped, changed.toString('base64url')].join('.');
      await expect(box.decrypt(text, place)).rejects.toThrow(UndecryptableText);
    }
  });

  it('refuses what is no encrypted text', async () => {
    for (const text of [
      '',
      '.',
      '1.local',
      '1.local.',
      '1.local.AAAA',
      '2.local.AAAA',
      '1.kms.AAAA',
      '1.local.A.A',
      'secret',
    ]) {
      await expect(box.decrypt(text, place)).rejects.toThrow(UndecryptableText);
    }
  });
});
