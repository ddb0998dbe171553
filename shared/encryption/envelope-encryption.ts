import { decrypt, encrypt } from './aes.ts';

/**
 * Encrypts texts that must be readable again, but not by someone who only has the table: integration secrets, `credentials` fields.
 * A ciphertext is bound to its place: copied to another tenant or record, it cannot be decrypted.
 */
export interface EnvelopeEncryption {
  /** @param cache stores a data key that all containers share; without it each container generates its own */
  encrypt(plaintext: string, place: Place, cache?: DataKeyCache): Promise<string>;
  /** @throws UndecryptableText when the text was encrypted for another place or under another key, or has changed */
  decrypt(encrypted: string, place: Place): Promise<string>;
}

/** Where an encrypted text belongs. */
export interface Place {
  /** The organization's id, or `PLATFORM`. */
  readonly tenant: string;
  /** What in that tenant: `app/acme-billing`, `service/<id>`. */
  readonly record: string;
}

/** An encrypted text that cannot be decrypted: it was damaged or moved, or its key was deleted. */
export class UndecryptableText extends Error {
  override readonly name = 'UndecryptableText';
}

/** Data keys of tenants, each with its wrapped form, which is stored beside the ciphertext. */
export interface DataKeys {
  /** The key to encrypt with now. */
  current(tenant: string, cache?: DataKeyCache): Promise<DataKey>;
  /** The key of a wrapped form. */
  unwrap(wrapped: string, tenant: string): Promise<Uint8Array>;
}

export interface DataKey {
  readonly key: Uint8Array;
  /** The key, encrypted under the master key; no `.` in it. */
  readonly wrapped: string;
}

/**
 * Stores the wrapped data key that a tenant's containers share, so that few keys are used over months. Every ciphertext carries its own
 * wrapped key: losing the cache costs only calls to KMS.
 */
export interface DataKeyCache {
  recall(): Promise<string | undefined>;
  /** Stores a wrapped key unless there is one, and returns the one that is stored. */
  keep(wrapped: string): Promise<string>;
}

/** Version of the form `1.<wrapped key>.<nonce, ciphertext and tag in base64url>`. */
const VERSION = '1';

/** Envelope encryption: AES-256-GCM under a tenant's data key, with the place as associated data. */
export const envelopeEncryption = (keys: DataKeys): EnvelopeEncryption => ({
  async encrypt(plaintext, place, cache) {
    const { key, wrapped } = await keys.current(place.tenant, cache);
    return [VERSION, wrapped, encrypt(key, plaintext, associated(place)).toString('base64url')].join('.');
  },

  async decrypt(encrypted, place) {
    const [version, wrapped, ciphertext, ...rest] = encrypted.split('.');
    if (version !== VERSION || wrapped === undefined || ciphertext === undefined || rest.length > 0) {
      throw new UndecryptableText('the encrypted text has an unknown format');
    }
    const key = await keys.unwrap(wrapped, place.tenant);
    try {
      return decrypt(key, Buffer.from(ciphertext, 'base64url'), associated(place));
    } catch (cause) {
      throw new UndecryptableText('the text cannot be decrypted for this tenant and record', { cause });
    }
  },
});

/** JSON, so that different places never give the same text. */
const associated = ({ tenant, record }: Place): string => JSON.stringify([VERSION, tenant, record]);

/** One key for all tenants of a local installation; its wrapped form only names it. */
export const localDataKeys = (key: Uint8Array): DataKeys => ({
  current: async () => ({ key, wrapped: LOCAL }),
  async unwrap(wrapped) {
    if (wrapped !== LOCAL) throw new UndecryptableText('the text was encrypted with a key of AWS KMS');
    return key;
  },
});

const LOCAL = 'local';
