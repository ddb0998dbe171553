import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StoredKeyGone } from '#auth';
import {
  type DataKeyCache,
  envelopeEncryption,
  localDataKeys,
  UndecryptableText,
} from '../../shared/auth/envelope-encryption.ts';
import { codePoint } from '../support/code-point.ts';

const key = randomBytes(32);
const box = envelopeEncryption(localDataKeys(key));
const place = { tenant: 'a', record: 'service/1' };

describe('a secret box', () => {
  it('decrypts to the same text, encrypted differently each time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: codePoint }), fc.string(), fc.string(), async (text, tenant, record) => {
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

describe('a text under a stored key', () => {
  const stored = new Map<string, string>();
  const cacheOf = (name: string): DataKeyCache => ({
    name,
    recall: async () => stored.get(name),
    keep: async (wrapped) => stored.set(name, wrapped).get(name) ?? '',
  });
  const open = (encrypted: string, where = place, by = box) => by.decrypt(encrypted, where, cacheOf);

  it('can be decrypted while the key is stored, and by nobody after that', async () => {
    const texts = [await box.encryptUnderStoredKey('one', place, cacheOf('2026'))];
    texts.push(await box.encryptUnderStoredKey('two', place, cacheOf('2026')));
    expect(await Promise.all(texts.map((text) => open(text)))).toEqual(['one', 'two']);
    const [wrapped = ''] = stored.values();
    expect(texts.filter((text) => text.includes(wrapped))).toEqual([]);
    stored.clear();
    for (const text of texts) await expect(open(text)).rejects.toThrow(StoredKeyGone);
  });

  it('opens in no other place, under no other installation, and without the stored key in none', async () => {
    const text = await box.encryptUnderStoredKey('secret', place, cacheOf('2026'));
    await expect(open(text, { ...place, record: 'service/2' })).rejects.toThrow(UndecryptableText);
    await expect(open(text, { ...place, tenant: 'b' })).rejects.toThrow(UndecryptableText);
    const other = envelopeEncryption(localDataKeys(randomBytes(32)));
    await expect(open(text, place, other)).rejects.toThrow(UndecryptableText);
    await expect(box.decrypt(text, place)).rejects.toThrow(UndecryptableText);
  });
});
