import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { generateSecret, isSecretOf, openSecrets, storeSecret } from '../../shared/auth/integration-secrets.ts';
import { localDataKeys, secretBox, UnreadableSecret } from '../../shared/auth/secret-box.ts';
import { suppliedSecret } from '../../shared/auth/secret-policy.ts';
import { isStrong } from '../../shared/auth/secret-strength.ts';
import { IS_WHOLE } from '../support/sweep.ts';

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

describe('the form of supplied secrets', () => {
  it.each([
    'x'.repeat(31),
    `${generateSecret()}\u00e9`,
    `${generateSecret()}\n`,
    generateSecret().repeat(6),
    'x'.repeat(257),
  ])('refuses %j', (secret) => {
    expect(suppliedSecret().safeParse(secret).success).toBe(false);
  });
});

describe('the strength of supplied secrets', () => {
  const APP_CODE = 'acme-billing';

  it.each([
    ['one letter', 'x'.repeat(32)],
    ['one letter, and another at the end', `${'a'.repeat(31)}b`],
    ['one letter as often as may be, and another', `${'a'.repeat(255)}b`],
    ['two letters in turn', 'ab'.repeat(16)],
    ['a word again and again', 'password'.repeat(4)],
    ['a word in disguise, again and again', 'P@ssw0rd1'.repeat(4)],
    ['a word and a number, again and again', 'password123!'.repeat(3)],
    ['what people take', 'changeme-changeme-please-changeme!'],
    ['a sequence of letters', 'abcdefghijklmnopqrstuvwxyzabcdef'],
    ['a sequence backwards', 'zyxwvutsrqponmlkjihgfedcbazyxwvu'],
    ['sequences of letters and digits', 'abcdefgh12345678ABCDEFGH87654321'],
    ['digits in order', '12345678901234567890123456789012'],
    ['hexadecimal digits in order', `${'0123456789abcdef'.repeat(2)}0`],
    ['the rows of a keyboard', 'qwertyuiopasdfghjklzxcvbnm123456'],
    ['the columns of a keyboard', '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,'],
    ['a time, twice', '2026-11-20T09:30:00Z2026-11-20T09:30:00Z'],
    ['the empty UUID', '00000000-0000-0000-0000-000000000000'],
    ['the app code, padded', `${APP_CODE}${'0'.repeat(24)}`],
    ['the app code, with digits', `${APP_CODE}12345678901234567890`],
    ['the app code, again and again', APP_CODE.repeat(3)],
    ['the app code around a word', `${APP_CODE}-password-${APP_CODE}`],
    ['the app code in capitals and its words', 'ACME-BILLING-billing-acme-ACME-billing'],
  ])('is too little for %s', async (_, secret) => {
    expect(suppliedSecret().safeParse(secret).success).toBe(true);
    expect(await isStrong(secret, APP_CODE)).toBe(false);
  });

  it.each([
    ['a sentence', 'correct horse battery staple, twice'],
    ['five words at random', 'unlucky scallop jovial repaint crumb'],
    ['six words at random', 'upholstery-shrubbery-trapezoid-unlucky-onion-clay'],
    ['a random UUID', '5d0e3c1a-7b52-4f0e-9a51-2f1c8f6f7c11'],
    ['a digest', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    ['a short digest', 'd41d8cd98f00b204e9800998ecf8427e'],
  ])('is enough for %s', async (_, secret) => {
    expect(await isStrong(secret, APP_CODE)).toBe(true);
  });

  it('is enough for whatever is random', async () => {
    for (let turn = 0; turn < (IS_WHOLE ? 50 : 10); turn++) {
      for (const secret of [
        generateSecret(),
        randomBytes(16).toString('hex'),
        randomBytes(32).toString('hex'),
        randomBytes(24).toString('base64'),
        randomBytes(192).toString('base64url'),
      ]) {
        expect(await isStrong(secret, APP_CODE), secret).toBe(true);
      }
    }
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
    const texts = async (now: number) => (await openSecrets(box, { ...owner, secrets }, now)).map(({ text }) => text);
    expect(await texts(end * 1000 - 1)).toEqual([old, fresh]);
    expect(await texts(end * 1000)).toEqual([fresh]);
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
