import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import type { EnvelopeEncryption } from '#encryption';
import { includeAll, type Permissions } from '#identity';
import type { Credentials } from '#tenancy/credentials';

/**
 * Secrets of integrations. Each is stored as a hash, for login, and encrypted, for the HMAC of webhooks, which needs the secret itself
 * (`docs/decisions/0011`). An integration may have two at once, so that a secret can be rotated without downtime.
 */

type StoredSecret = Credentials['secrets'][number];

/** Most secrets that an integration has at once. */
export const MAX_SECRETS = 2;

/** The integration that secrets belong to. */
interface Owner {
  readonly tenant: string;
  readonly app_code: string;
}

const contextOf = ({ tenant, app_code }: Owner) => ({ tenant, record: `app/${app_code}` });

const RANDOM_BYTES = 32;

/** A new secret: 256 random bits. The prefix lets secret scanners recognize it. */
export const generateSecret = (): string => `cst_${randomBytes(RANDOM_BYTES).toString('base64url')}`;

/**
 * A secret in the form in which it is stored.
 * @param knownWith the permissions of the caller that sets or sees it
 */
export const storeSecret = async (
  encryption: EnvelopeEncryption,
  owner: Owner,
  secret: string,
  knownWith: Permissions,
): Promise<StoredSecret> => ({
  id: randomUUID(),
  hash: digest(secret).toString('base64url'),
  encrypted: await encryption.encrypt(secret, contextOf(owner)),
  expires_at: null,
  known_with: knownWith,
});

/**
 * The secrets after a rotation: the new one, and the previous one until `previousEnd` (epoch seconds; null: not at all). A secret that was
 * already expiring ends now.
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
 * The unexpired secrets of an integration when it gets these permissions: those that are kept, and those that end because they are known with less.
 * `now` in epoch milliseconds.
 */
export function secretsUnder(
  permissions: Permissions,
  { secrets, permissions: before }: Pick<Credentials, 'secrets' | 'permissions'>,
  now: number,
): { readonly kept: readonly StoredSecret[]; readonly ended: readonly StoredSecret[] } {
  const current = secrets.filter((secret) => isCurrent(secret, now));
  const isKept = ({ known_with = before }: StoredSecret): boolean => includeAll(known_with, permissions);
  return { kept: current.filter(isKept), ended: current.filter((secret) => !isKept(secret)) };
}

/**
 * The stored secret that matches the presented text. Takes the same time for any number of secrets and any match: {@link MAX_SECRETS}
 * digests are always compared, in constant time. `now` in epoch milliseconds.
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

export const isSecretOf = (...args: Parameters<typeof secretAmong>): boolean => secretAmong(...args) !== undefined;

/** A secret in plain text. */
interface OpenSecret extends Pick<StoredSecret, 'id'> {
  readonly text: string;
}

/**
 * The unexpired secrets in plain text, to check a webhook's HMAC with. `now` in epoch milliseconds.
 * @throws UndecryptableText
 */
export const openSecrets = (
  encryption: EnvelopeEncryption,
  owner: Owner & { readonly secrets: readonly StoredSecret[] },
  now: number,
): Promise<OpenSecret[]> =>
  Promise.all(
    owner.secrets
      .filter((secret) => isCurrent(secret, now))
      .map(async ({ id, encrypted }) => ({
        ...(id && { id }),
        text: await encryption.decrypt(encrypted, contextOf(owner)),
      })),
  );

const isCurrent = ({ expires_at }: StoredSecret, now: number): boolean =>
  expires_at === null || expires_at * 1000 > now;

/**
 * A fast hash is right here, unlike for passwords: a secret has 256 random bits, or passed the check of `secret-strength.ts`, and cannot be
 * found by trying (NIST SP 800-63B §5.1.1.2 asks for slow hashes of memorized secrets). A slow hash would only make logins expensive
 * and a flood of them an attack.
 */
const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** The digest of no secret. */
const NO_DIGEST = Buffer.alloc(32);
