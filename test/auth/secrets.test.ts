import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateSecret, isSecretOf, openSecrets, storeSecret } from '../../shared/auth/integration-secrets.ts';
import { localDataKeys, secretBox, UnreadableSecret } from '../../shared/auth/secret-box.ts';
import { isRepetition, suppliedSecret } from '../../shared/auth/secret-policy.ts';

const box = secretBox(localDataKeys(randomBytes(32)));
const owner = { tenant: crypto.randomUUID(), app_code: 'acme' };
const NOW = Date.now();

describe('a generated secret', () => {
  it('carries 256 random bits behind a prefix, and fits the policy', () => {
    const secrets = Array.from({ length: 100 }, generateSecret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      expect(secret).toMatch(/^cst_[\w-]{43}$/);
      expect(suppliedSecret().safeParse(secret).success).toBe(true);
    }
  });
});

describe('the policy of supplied secrets', () => {
  it.each([
    'x'.repeat(31),
    'x'.repeat(32),
    'ab'.repeat(16),
    'abc'.repeat(11),
    `${'0123456789abcdef'.repeat(2)}0`,
    `${generateSecret()}\u00e9`,
    `${generateSecret()}\n`,
    generateSecret().repeat(6),
    Array.from({ length: 257 }, (_, index) => index % 10).join('') + generateSecret(),
  ])('refuses %j', (secret) => {
    expect(suppliedSecret().safeParse(secret).success).toBe(false);
  });

  it('takes a sentence', () => {
    expect(suppliedSecret().safeParse('correct horse battery staple, twice').success).toBe(true);
  });

  it('sees every repetition', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 40 }),
        fc.integer({ min: 2, max: 6 }),
        fc.nat(),
        (part, times, cut) => {
          const text = part.repeat(times);
          expect(isRepetition(text + part.slice(0, cut % part.length))).toBe(true);
        },
      ),
    );
  });
});

describe('a stored secret', () => {
  it('is known again, and nothing else is', async () => {
    const secret = generateSecret();
    const stored = await storeSecret(box, owner, secret);
    expect(isSecretOf([stored], secret, NOW)).toBe(true);
    for (const other of ['', `${secret} `, secret.slice(1), secret.toUpperCase(), stored.hash]) {
      expect(isSecretOf([stored], other, NOW)).toBe(false);
    }
    expect(isSecretOf([], secret, NOW)).toBe(false);
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it('counts until it expires, beside its successor', async () => {
    const [old, fresh] = [generateSecret(), generateSecret()];
    const end = Math.floor(NOW / 1000) + 60;
    const secrets = [
      { ...(await storeSecret(box, owner, old)), expires_at: end },
      await storeSecret(box, owner, fresh),
    ];
    const known = (now: number) => [old, fresh].map((secret) => isSecretOf(secrets, secret, now));
    expect(known(end * 1000 - 1)).toEqual([true, true]);
    expect(known(end * 1000)).toEqual([false, true]);
    expect(await openSecrets(box, { ...owner, secrets }, end * 1000 - 1)).toEqual([old, fresh]);
    expect(await openSecrets(box, { ...owner, secrets }, end * 1000)).toEqual([fresh]);
  });

  it('opens for its own integration only', async () => {
    const secrets = [await storeSecret(box, owner, generateSecret())];
    for (const other of [
      { ...owner, tenant: crypto.randomUUID() },
      { ...owner, app_code: 'other' },
    ]) {
      await expect(openSecrets(box, { ...other, secrets }, NOW)).rejects.toThrow(UnreadableSecret);
    }
  });
});
