import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { dataKeyCache } from '#tenancy';

/**
 * Encrypts texts that must be readable again, but not by somebody who only has the table: integration secrets,
 * `credentials` fields. A ciphertext is bound to its context: copied to another tenant or record, it cannot be
 * decrypted.
 */
export interface EnvelopeEncryption {
  /** @param cache stores a data key that all containers share; without it each container generates its own */
  encrypt(plaintext: string, context: EncryptionContext, cache?: DataKeyCache): Promise<string>;
  /**
   * Encrypts under the key that the cache stores. It is stored nowhere else: without the cached item nobody can decrypt
   * the text.
   */
  encryptUnderStoredKey(plaintext: string, context: EncryptionContext, cache: DataKeyCache): Promise<string>;
  /**
   * @param cacheOf the caches of the tenant's stored keys, by name; without it only texts that contain their wrapped
   *   key can be decrypted
   * @throws StoredKeyGone; UndecryptableText when the text was encrypted for another context or under another key, or
   *   has changed
   */
  decrypt(encrypted: string, context: EncryptionContext, cacheOf?: (name: string) => DataKeyCache): Promise<string>;
}

/** What a data key is for. */
export interface KeyContext {
  /** The organization's id, or `PLATFORM`. */
  readonly tenant: string;
  /** The purpose of keys for a role that may unwrap no others (`docs/decisions/0011`). */
  readonly purpose?: KeyPurpose;
}

/** Secrets that sign deliveries to webhook endpoints. Never change it: it is part of what is encrypted. */
export const ENDPOINT_SECRETS = 'webhook-endpoints';
export type KeyPurpose = typeof ENDPOINT_SECRETS;

/** What an encrypted text belongs to. */
export interface EncryptionContext extends KeyContext {
  /** The record in that tenant: `app/acme-billing`, `service/<id>`. */
  readonly record: string;
}

/** An encrypted text that cannot be decrypted: it was damaged or moved, or its key was deleted. */
export class UndecryptableText extends Error {
  override readonly name = 'UndecryptableText';
}

/** A text whose stored key was deleted, as it is when an organization is erased. */
export class StoredKeyGone extends UndecryptableText {}

/** Data keys of tenants, each with its wrapped form, which is stored beside the ciphertext. */
export interface DataKeys {
  /** The key to encrypt with now. */
  current(context: KeyContext, cache?: DataKeyCache): Promise<DataKey>;
  /** The key that a cache stores; a new one where there is none. */
  stored(context: KeyContext, cache: DataKeyCache): Promise<Uint8Array>;
  /** The key of a wrapped form. */
  unwrap(wrapped: string, context: KeyContext): Promise<Uint8Array>;
}

export interface DataKey {
  readonly key: Uint8Array;
  /** The key, encrypted under the master key; no `.` in it. */
  readonly wrapped: string;
}

/**
 * Stores the wrapped data key that a tenant's containers share, so that few keys are used over months. Most ciphertexts
 * carry their own wrapped key: for them, losing the cache costs only calls to KMS.
 */
export type DataKeyCache = ReturnType<typeof dataKeyCache>;

/** Version of the form `1.<wrapped key>.<nonce, ciphertext and tag in base64url>`. */
const WITH_KEY = '1';
/** Version of the form `2.<name of the stored key>.<nonce, ciphertext and tag in base64url>`. */
const UNDER_STORED_KEY = '2';

/** Envelope encryption: AES-256-GCM under a tenant's data key, with the context as associated data. */
export const envelopeEncryption = (keys: DataKeys): EnvelopeEncryption => ({
  async encrypt(plaintext, context, cache) {
    const { key, wrapped } = await keys.current(context, cache);
    return [WITH_KEY, wrapped, encrypt(key, plaintext, associated(WITH_KEY, context)).toString('base64url')].join('.');
  },

  async encryptUnderStoredKey(plaintext, context, cache) {
    const key = await keys.stored(context, cache);
    const ciphertext = encrypt(key, plaintext, associated(UNDER_STORED_KEY, context));
    return [UNDER_STORED_KEY, cache.name, ciphertext.toString('base64url')].join('.');
  },

  async decrypt(encrypted, context, cacheOf) {
    const [version = '', keyPart, ciphertext, ...rest] = encrypted.split('.');
    if (keyPart === undefined || ciphertext === undefined || rest.length > 0) throw unknownFormat();
    const wrapped = version === WITH_KEY ? keyPart : await storedKey(version, keyPart, cacheOf);
    const key = await keys.unwrap(wrapped, context);
    try {
      return decrypt(key, Buffer.from(ciphertext, 'base64url'), associated(version, context));
    } catch (cause) {
      throw new UndecryptableText('the text cannot be decrypted for this tenant and record', { cause });
    }
  },
});

async function storedKey(version: string, name: string, cacheOf?: (name: string) => DataKeyCache): Promise<string> {
  if (version !== UNDER_STORED_KEY || cacheOf === undefined) throw unknownFormat();
  const wrapped = await cacheOf(name).recall();
  if (wrapped === undefined) throw new StoredKeyGone('the key of the text was deleted');
  return wrapped;
}

const unknownFormat = (): UndecryptableText => new UndecryptableText('the encrypted text has an unknown format');

/** JSON, so that different contexts never give the same text. */
const associated = (version: string, { tenant, record, purpose }: EncryptionContext): string =>
  JSON.stringify([version, tenant, record, ...(purpose === undefined ? [] : [purpose])]);

/**
 * Keys of a local installation. One key is used for all tenants, and its wrapped form only names it. Each tenant has
 * stored keys of its own, encrypted under that one, so that they end with the stored item, as with KMS.
 */
export const localDataKeys = (key: Uint8Array): DataKeys => ({
  current: async () => ({ key, wrapped: LOCAL }),
  async stored({ tenant }, cache) {
    const made = () => encrypt(key, randomBytes(32).toString('base64url'), tenant).toString('base64url');
    return unwrapLocally(key, (await cache.recall()) ?? (await cache.keep(made())), tenant);
  },
  unwrap: async (wrapped, { tenant }) => (wrapped === LOCAL ? key : unwrapLocally(key, wrapped, tenant)),
});

const LOCAL = 'local';

function unwrapLocally(key: Uint8Array, wrapped: string, tenant: string): Uint8Array {
  try {
    return Buffer.from(decrypt(key, Buffer.from(wrapped, 'base64url'), tenant), 'base64url');
  } catch (cause) {
    throw new UndecryptableText('the data key is none of this installation and tenant', { cause });
  }
}

/** Lengths of AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce: `nonce | ciphertext | tag`. */

const NONCE = 12;
const TAG = 16;

/** `associated` is authenticated but not part of the ciphertext: decryption needs the same text. */
function encrypt(key: Uint8Array, plaintext: string, associated: string): Buffer {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG });
  cipher.setAAD(Buffer.from(associated));
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]);
}

/** @throws Error when the key, the associated text or any byte differs */
function decrypt(key: Uint8Array, encrypted: Buffer, associated: string): string {
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, NONCE), { authTagLength: TAG });
  decipher.setAAD(Buffer.from(associated));
  decipher.setAuthTag(encrypted.subarray(-TAG));
  return Buffer.concat([decipher.update(encrypted.subarray(NONCE, -TAG)), decipher.final()]).toString('utf8');
}
