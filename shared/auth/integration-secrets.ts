import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { EnvelopeEncryption } from '../encryption/envelope-encryption.ts';
import type { StoredSecret } from '../table/system/credentials.ts';

/**
 * Secrets of integrations. One is kept twice: as a hash, for login, and encrypted, for the HMAC of webhooks, which needs the secret
 * itself (`docs/decisions/0011`). An integration may have two at once, so that a new one can be brought in without a gap.
 */

/** As many secrets as an integration can have at once. */
export const MAX_SECRETS = 2;

/** What secrets belong to. */
interface Owner {
  readonly tenant: string;
  readonly app_code: string;
}

const placeOf = ({ tenant, app_code }: Owner) => ({ tenant, record: `app/${app_code}` });

const RANDOM_BYTES = 32;

/** A new secret: 256 random bits. The prefix lets scanners of source code know one when they see it. */
export const generateSecret = (): string => `cst_${randomBytes(RANDOM_BYTES).toString('base64url')}`;

/** A secret in the form in which it is stored. */
export const storeSecret = async (box: EnvelopeEncryption, owner: Owner, secret: string): Promise<StoredSecret> => ({
  id: randomUUID(),
  hash: digest(secret).toString('base64url'),
  encrypted: await box.encrypt(secret, placeOf(owner)),
  expires_at: null,
});

/**
 * The secrets after a rotation: the new one, and the one before until `previousEnd` (epoch seconds; null: not at all). What was on its
 * way out already ends.
 */
export function rotated(
  secrets: readonly StoredSecret[],
  fresh: StoredSecret,
  previousEnd: number | null,
): readonly StoredSecret[] {
  const previous = secrets.find(({ expires_at }) => expires_at === null);
  return previous === undefined || previousEnd === null ? [fresh] : [fresh, { ...previous, expires_at: previousEnd }];
}

/**
 * The one of these secrets that a text is. The work is the same whatever they are and how many: as many digests are compared as an
 * integration can have secrets, all of them whole. `now` in epoch milliseconds.
 */
export function secretAmong(
  secrets: readonly StoredSecret[],
  presented: string,
  now: number,
): StoredSecret | undefined {
  const candidate = digest(presented);
  let found: StoredSecret | undefined;
  for (let index = 0; index < MAX_SECRETS; index++) {
    const stored = secrets[index];
    const expected = stored === undefined ? NO_DIGEST : Buffer.from(stored.hash, 'base64url');
    const equal = timingSafeEqual(candidate, expected);
    if (equal && stored !== undefined && isCurrent(stored, now)) found = stored;
  }
  return found;
}

/** Whether a text is one of these secrets. */
export const isSecretOf = (...asked: Parameters<typeof secretAmong>): boolean => secretAmong(...asked) !== undefined;

/** A secret in plain text. */
interface OpenSecret extends Pick<StoredSecret, 'id'> {
  readonly text: string;
}

/**
 * The secrets that are good now, in plain text, to check a webhook's HMAC with. `now` in epoch milliseconds.
 * @throws UndecryptableText
 */
export const openSecrets = (
  box: EnvelopeEncryption,
  owner: Owner & { readonly secrets: readonly StoredSecret[] },
  now: number,
): Promise<OpenSecret[]> =>
  Promise.all(
    owner.secrets
      .filter((secret) => isCurrent(secret, now))
      .map(async ({ id, encrypted }) => ({ ...(id && { id }), text: await box.decrypt(encrypted, placeOf(owner)) })),
  );

const isCurrent = ({ expires_at }: StoredSecret, now: number): boolean =>
  expires_at === null || expires_at * 1000 > now;

/**
 * A fast hash is right here, where for a password it would be wrong: a secret is a machine's, 256 random bits or at least 32
 * characters, and cannot be found by trying (NIST SP 800-63B §5.1.1.2 asks for slow ones for what people memorize). A slow hash
 * would only make logins dear and a flood of them an attack.
 */
const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** No secret has it as its digest. */
const NO_DIGEST = Buffer.alloc(32);
