import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { environmentEncryption } from '#auth';
import * as field from '#contract/field';
import { includeAll, type Permissions } from '#identity';
import type { Credentials } from '#tenancy';

/**
 * Secrets of integrations. Each is stored as a hash, for login, and encrypted, for the HMAC of webhooks, which needs
 * the secret itself (`docs/decisions/0011`). An integration may have two at once, so that a secret can be rotated
 * without downtime.
 */

type StoredSecret = Credentials['secrets'][number];
type Encryption = Awaited<ReturnType<typeof environmentEncryption>>;

/** Characters of a secret that the caller supplies. */
export const LENGTH = { min: 32, max: 256 } as const;

const FORM = `must be ${LENGTH.min} to ${LENGTH.max} printable ASCII characters`;

/**
 * The form of a secret that the caller supplies: it is the key of an HMAC (RFC 2104 §3) and the password of a login.
 * For its strength: {@link isStrong}.
 */
export const supplied = () =>
  field
    .bounded(LENGTH.max, FORM)
    .min(LENGTH.min, { error: FORM })
    .regex(/^[\x20-\x7e]*$/, { error: FORM });

/** Three years at 10^12 guesses a second. */
const ENOUGH_GUESSES = 1e20;

/**
 * How many characters are estimated. A strong secret is strong within them, and an anonymous caller must not cause long
 * estimates.
 */
const LOOKED_AT = 96;

/**
 * Whether a supplied secret is hard enough to guess. An attacker who has its SHA-256 from the table, or an intercepted
 * webhook delivery, can try secrets without limit. So the measure is the number of guesses of an attacker who knows
 * what people choose (`docs/decisions/0011`).
 * @param appCode app code of the integration, which an attacker tries first
 */
export async function isStrong(secret: string, appCode: string): Promise<boolean> {
  const { estimateGuesses } = await import('./guesses.ts');
  const known = [appCode, ...appCode.split(/[^A-Za-z0-9]+/)].filter((word) => word !== '');
  return estimateGuesses(secret.slice(0, LOOKED_AT), known) >= ENOUGH_GUESSES;
}

/** Most secrets that an integration has at once. */
const MAX_SECRETS = 2;

/** The integration that secrets belong to. */
interface Owner {
  readonly tenant: string;
  readonly app_code: string;
}

const contextOf = ({ tenant, app_code }: Owner) => ({ tenant, record: `app/${app_code}` });

const RANDOM_BYTES = 32;

/** A new secret: 256 random bits. The prefix lets secret scanners recognize it. */
export const generate = (): string => `cst_${randomBytes(RANDOM_BYTES).toString('base64url')}`;

/**
 * A secret in the form in which it is stored.
 * @param knownWith the permissions of the caller that sets or sees it
 * @param encryption by default the one of the environment
 */
export const seal = async (
  owner: Owner,
  secret: string,
  knownWith: Permissions,
  encryption?: Encryption,
): Promise<StoredSecret> => ({
  id: randomUUID(),
  hash: digest(secret).toString('base64url'),
  encrypted: await (encryption ?? (await environmentEncryption())).encrypt(secret, contextOf(owner)),
  expires_at: null,
  known_with: knownWith,
});

/**
 * The unexpired secrets of an integration that gets these permissions: those that it keeps, and those that end because
 * they are known with less. `now` in epoch milliseconds.
 */
export function underPermissions(
  permissions: Permissions,
  { secrets, permissions: before }: Pick<Credentials, 'secrets' | 'permissions'>,
  now: number,
): { readonly kept: readonly StoredSecret[]; readonly ended: readonly StoredSecret[] } {
  const current = secrets.filter((secret) => isCurrent(secret, now));
  const isKept = ({ known_with = before }: StoredSecret): boolean => includeAll(known_with, permissions);
  return { kept: current.filter(isKept), ended: current.filter((secret) => !isKept(secret)) };
}

/**
 * The stored secret that matches the presented text. Takes the same time for any number of secrets and any match:
 * {@link MAX_SECRETS} digests are always compared, in constant time. `now` in epoch milliseconds.
 */
export function find(secrets: readonly StoredSecret[], presented: string, now: number): StoredSecret | undefined {
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

/** A secret in plain text. */
interface OpenSecret extends Pick<StoredSecret, 'id'> {
  readonly text: string;
}

/**
 * The unexpired secrets in plain text, to check a webhook's HMAC with. `now` in epoch milliseconds.
 * @param encryption by default the one of the environment
 * @throws UndecryptableText
 */
export async function open(
  owner: Owner & { readonly secrets: readonly StoredSecret[] },
  now: number,
  encryption?: Encryption,
): Promise<OpenSecret[]> {
  const box = encryption ?? (await environmentEncryption());
  return Promise.all(
    owner.secrets
      .filter((secret) => isCurrent(secret, now))
      .map(async ({ id, encrypted }) => ({ ...(id && { id }), text: await box.decrypt(encrypted, contextOf(owner)) })),
  );
}

const isCurrent = ({ expires_at }: StoredSecret, now: number): boolean =>
  expires_at === null || expires_at * 1000 > now;

/**
 * A fast hash is sufficient, unlike for passwords: a secret has 256 random bits, or passed {@link isStrong},
 * and cannot be guessed (NIST SP 800-63B §5.1.1.2 requires slow hashes of memorized secrets). A
 * slow hash would only make logins expensive, and a flood of them an attack.
 */
const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** The digest of no secret. */
const NO_DIGEST = Buffer.alloc(32);
