import { decrypt, encrypt } from './aes.ts';

/**
 * Keeps texts that must be readable again, and by nobody who only has the table: integration secrets, `credentials` fields.
 * What is encrypted for one place opens in no other, so that a ciphertext copied to another tenant or record is worth nothing there.
 */
export interface EnvelopeEncryption {
  /** @param cache where the tenant keeps a data key for all its containers; without one each container makes its own */
  encrypt(plaintext: string, place: Place, cache?: DataKeyCache): Promise<string>;
  /** @throws UndecryptableText when the text was encrypted for another place, under another key, or has changed */
  decrypt(encrypted: string, place: Place): Promise<string>;
}

/** Where an encrypted text belongs. */
export interface Place {
  /** The organization's id, or `PLATFORM`. */
  readonly tenant: string;
  /** What in that tenant: `app/acme-billing`, `service/<id>`. */
  readonly record: string;
}

/** An encrypted text that cannot be opened: damaged, moved, or its key is gone. */
export class UndecryptableText extends Error {
  override readonly name = 'UndecryptableText';
}

/** Data keys of tenants, each with the form in which it may be stored beside what it encrypted. */
export interface DataKeys {
  /** A key to encrypt with now. */
  current(tenant: string, cache?: DataKeyCache): Promise<DataKey>;
  /** The key that was stored in this form. */
  unwrap(wrapped: string, tenant: string): Promise<Uint8Array>;
}

export interface DataKey {
  readonly key: Uint8Array;
  /** The key, encrypted under the master key; no `.` in it. */
  readonly wrapped: string;
}

/**
 * Where a tenant keeps the wrapped form of the data key that its containers encrypt with, so that what they write over months is under
 * few keys. What was encrypted carries its own wrapped key: a cache that is lost costs calls to KMS and nothing else.
 */
export interface DataKeyCache {
  /** The wrapped key, if there is one. */
  recall(): Promise<string | undefined>;
  /** Keeps a wrapped key where there is none, and answers the one that is there then. */
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
      throw new UndecryptableText('an encrypted text has an unknown form');
    }
    const key = await keys.unwrap(wrapped, place.tenant);
    try {
      return decrypt(key, Buffer.from(ciphertext, 'base64url'), associated(place));
    } catch (cause) {
      throw new UndecryptableText('an encrypted text does not open here', { cause });
    }
  },
});

/** No two places are the same text: JSON marks where one part ends. */
const associated = ({ tenant, record }: Place): string => JSON.stringify([VERSION, tenant, record]);

/** One key for all tenants of a machine; the form it is stored in names it without telling anything of it. */
export const localDataKeys = (key: Uint8Array): DataKeys => ({
  current: async () => ({ key, wrapped: LOCAL }),
  async unwrap(wrapped) {
    if (wrapped !== LOCAL) throw new UndecryptableText('an encrypted text needs a key of AWS KMS');
    return key;
  },
});

const LOCAL = 'local';
