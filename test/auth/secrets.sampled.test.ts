import { createHash, randomBytes } from 'node:crypto';
import { dictionary } from '@zxcvbn-ts/language-common';
import { describe, expect, it } from 'vitest';
import * as integrationSecrets from '../../functions/integrations/secrets.ts';
import { envelopeEncryption, localDataKeys, UndecryptableText } from '../../shared/auth/envelope-encryption.ts';
import { byExtent } from '../support/extent.ts';
import { randomOf } from '../support/random.ts';

const box = envelopeEncryption(localDataKeys(randomBytes(32)));
const owner = { tenant: crypto.randomUUID(), app_code: 'acme' };
const NOW = Date.now();

const { find, generate, isStrong, open, seal, supplied, underPermissions } = integrationSecrets;

const WORDS = dictionary['diceware-common'];
const digest = (algorithm: string, text: string): string => createHash(algorithm).update(text).digest('hex');

/** Drawn with a seed: a secret at random is weak once in a very long time, and a test that meets it is no better for it. */
const { below, oneOf } = randomOf(1, 'secrets');
const draw = (count: number, from: readonly string[]): string[] => Array.from({ length: count }, () => oneOf(from));
const bytes = (count: number): Buffer => Buffer.from(Array.from({ length: count }, () => below(256)));
const uuid = (): string =>
  bytes(16)
    .toString('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-a$4-');

describe('a generated secret', () => {
  it('carries 256 random bits behind a prefix, and fits the policy', () => {
    const secrets = Array.from({ length: 100 }, generate);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      expect(secret).toMatch(/^cst_[\w-]{43}$/);
      expect(supplied().safeParse(secret).success).toBe(true);
    }
  });
});

describe('the form of supplied secrets', () => {
  it.each(['x'.repeat(31), `${generate()}\u00e9`, `${generate()}\n`, generate().repeat(6), 'x'.repeat(257)])(
    'refuses %j',
    (secret) => {
      expect(supplied().safeParse(secret).success).toBe(false);
    },
  );
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
    ['the app code and numbers', 'acme-billing-1-acme-billing-2-acme-billing-3'],
    ['the app code and what it is', 'acme-billing-webhook-secret-production'],
    ['the app code, what it is, and the year', 'acme-billing-secret-key-2026-production'],
    ['the app code between dots', 'acme.billing.integration.secret.token'],
    ['the app code in one word with others', 'ThisIsMyVeryLongSecretForAcmeBilling2026'],
    ['an address with the app code', 'https://acme-billing.example.com/webhooks'],
    ['a sequence of pairs', 'aabbccddeeffgghhiijjkkllmmnnoopp'],
    ['digits in order, each four times', '1111222233334444555566667777888899'],
    ['letters in order, each four times', 'aaaabbbbccccddddeeeeffffgggghhhhiiii'],
    ['two sequences in turn', 'a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6'],
    ['two sequences in turn by fours', 'abcd1234efgh5678ijkl9012mnop3456'],
    ['every other digit', '13579135791357924680246802468024680'],
    ['a documented secret, twice', 'your-256-bit-secret-your-256-bit-secret'],
    ['a request to change it', 'please-change-this-secret-in-production'],
    ['a request to replace it', 'replace-me-with-a-long-random-secret'],
    ['a documented key', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'],
    ['the MD5 digest of nothing', digest('md5', '')],
    ['the SHA-256 digest of nothing', digest('sha256', '')],
    ['the SHA-512 digest of nothing, in capitals', digest('sha512', '').toUpperCase()],
    ['the SHA-256 digest of a word', digest('sha256', 'test')],
    ['the SHA-256 digest of the app code, in Base64', createHash('sha256').update(APP_CODE).digest('base64')],
    ['days in order', '2026-11-21 2026-11-22 2026-11-23 2026'],
    ['the names of days', 'monday-tuesday-wednesday-thursday-friday'],
    ['pi', '3.14159265358979323846264338327950288'],
    ['pi without its beginning', '5358979323846264338327950288419716'],
    ['the columns of a keyboard, up and down', 'zaq12wsxcde34rfvbgt56yhnmju78ik,'],
    ['common passwords', 'letmein-iloveyou-dragon-monkey-sunshine-football'],
    ['a common password and the app code in disguise', 'S3cr3t-P@ssw0rd-F0r-@cme-B1ll1ng-2026!'],
    ['a plain sentence', 'the customers portal of the northern hospital'],
    ['a well-known phrase', 'correct horse battery staple, twice'],
    ['five words at random', 'unlucky scallop jovial repaint crumb'],
  ])('is too little for %s', async (_, secret) => {
    expect(supplied().safeParse(secret).success).toBe(true);
    expect(await isStrong(secret, APP_CODE)).toBe(false);
  });

  it('is enough for whatever is random', async () => {
    for (let turn = 0; turn < byExtent({ sample: 3, extended: 6, nightly: 50 }); turn++) {
      for (const secret of [
        generate(),
        bytes(16).toString('hex'),
        bytes(32).toString('hex').toUpperCase(),
        bytes(24).toString('base64'),
        bytes(24).toString('base64url'),
        bytes(192).toString('base64url'),
        uuid(),
        `${uuid()}${uuid()}`,
        draw(32, [...'0123456789']).join(''),
        draw(32, [...'abcdefghijklmnopqrstuvwxyz']).join(''),
        draw(10, WORDS).join(' '),
        draw(10, WORDS).join(''),
      ]) {
        expect(await isStrong(secret, APP_CODE), secret).toBe(true);
      }
    }
  });

  it('is looked for in 96 characters', async () => {
    const weak = 'Acme-Billing '.repeat(8).slice(0, 96);
    expect(await isStrong(`${weak}${generate()}`, APP_CODE)).toBe(false);
    expect(await isStrong(`${generate()}${weak}`, APP_CODE)).toBe(true);
  });
});

describe('a stored secret', () => {
  it('is known again, and nothing else is', async () => {
    const secret = generate();
    const stored = await seal(owner, secret, null, box);
    expect(find([stored], secret, NOW)).toBeDefined();
    for (const other of ['', `${secret} `, secret.slice(1), secret.toUpperCase(), stored.hash]) {
      expect(find([stored], other, NOW)).toBeUndefined();
    }
    expect(find([], secret, NOW)).toBeUndefined();
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it('counts until it expires, beside its successor', async () => {
    const [old, fresh] = [generate(), generate()];
    const end = Math.floor(NOW / 1000) + 60;
    const secrets = [{ ...(await seal(owner, old, null, box)), expires_at: end }, await seal(owner, fresh, null, box)];
    const known = (now: number) => [old, fresh].map((secret) => find(secrets, secret, now) !== undefined);
    expect(known(end * 1000 - 1)).toEqual([true, true]);
    expect(known(end * 1000)).toEqual([false, true]);
    const texts = async (now: number) => (await open({ ...owner, secrets }, now, box)).map(({ text }) => text);
    expect(await texts(end * 1000 - 1)).toEqual([old, fresh]);
    expect(await texts(end * 1000)).toEqual([fresh]);
  });

  it('ends under permissions that go beyond those it is known with, or beyond those of before where that is not noted', async () => {
    const [one, other] = [await seal(owner, 'one', ['a:read'], box), await seal(owner, 'other', null, box)];
    const { known_with, ...unnoted } = one;
    const under = (permissions: readonly string[] | null, secrets: (typeof unnoted)[], now = NOW) => {
      const { kept, ended } = underPermissions(permissions, { secrets, permissions: ['b:write'] }, now);
      return [kept, ended];
    };
    expect(under(['a:read', 'b:read'], [one, other])).toEqual([[other], [one]]);
    expect(under(['a:read'], [one, other])).toEqual([[one, other], []]);
    expect(under(null, [one, unnoted])).toEqual([[], [one, unnoted]]);
    expect(under(['b:read'], [unnoted])).toEqual([[unnoted], []]);
    expect(under(['a:read'], [unnoted])).toEqual([[], [unnoted]]);
    expect(under(null, [{ ...one, expires_at: NOW / 1000 }])).toEqual([[], []]);
  });

  it('opens for its own integration only', async () => {
    const secrets = [await seal(owner, generate(), null, box)];
    for (const other of [
      { ...owner, tenant: crypto.randomUUID() },
      { ...owner, app_code: 'other' },
    ]) {
      await expect(open({ ...other, secrets }, NOW, box)).rejects.toThrow(UndecryptableText);
    }
  });
});
