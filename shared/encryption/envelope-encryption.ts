import { decrypt, encrypt } from './aes.ts';

/**
 * Keeps texts that must be readable again, and by nobody who only has the table: integration secrets, `credentials` fields.
 * What is sealed for one place opens in no other, so that a ciphertext copied to another tenant or record is worth nothing there.
 */
export interface EnvelopeEncryption {
  /** @param shelf where the tenant keeps a data key for all its containers; without one each container makes its own */
  encrypt(plaintext: string, place: Place, shelf?: DataKeyCache): Promise<string>;
  /** @throws UnreadableSecret when the text was sealed for another place, under another key, or has changed */
  decrypt(sealed: string, place: Place): Promise<string>;
}

/** Where a sealed text belongs. */
export interface Place {
  /** The organization's id, or `PLATFORM`. */
  readonly tenant: string;
  /** What in that tenant: `app/acme-billing`, `service/<id>`. */
  readonly record: string;
}

/** A sealed text that cannot be opened: damaged, moved, or its key is gone. */
export class UndecryptableText extends Error {
  override readonly name = 'UnreadableSecret';
}

/** Data keys of tenants, each with the form in which it may be stored beside what it sealed. */
export interface DataKeys {
  /** A key to seal with now. */
  current(tenant: string, shelf?: DataKeyCache): Promise<DataKey>;
  /** The key that was stored in this form. */
  unwrap(wrapped: string, tenant: string): Promise<Uint8Array>;
}

export interface DataKey {
  readonly key: Uint8Array;
  /** The key, encrypted under the master key; no `.` in it. */
  readonly wrapped: string;
}

/**
 * Where a tenant keeps the wrapped form of the data key that its containers seal with, so that what they write over months is under
 * few keys. What was sealed carries its own wrapped key: a shelf that is lost costs calls to KMS and nothing else.
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
  async encrypt(plaintext, place, shelf) {
    const { key, wrapped } = await keys.current(place.tenant, shelf);
    return [VERSION, wrapped, encrypt(key, plaintext, associated(place)).toString('base64url')].join('.');
  },

  async decrypt(sealed, place) {
    const [version, wrapped, ciphertext, ...rest] = sealed.split('.');
    if (version !== VERSION || wrapped === undefined || ciphertext === undefined || rest.length > 0) {
      throw new UndecryptableText('a sealed text has an unknown form');
    }
    const key = await keys.unwrap(wrapped, place.tenant);
    try {
      return decrypt(key, Buffer.from(ciphertext, 'base64url'), associated(place));
    } catch (cause) {
      throw new UndecryptableText('a sealed text does not open here', { cause });
    }
  },
});

/** No two places are the same text: JSON marks where one part ends. */
const associated = ({ tenant, record }: Place): string => JSON.stringify([VERSION, tenant, record]);

/** One key for all tenants of a machine; the form it is stored in names it without telling anything of it. */
export const localDataKeys = (key: Uint8Array): DataKeys => ({
  current: async () => ({ key, wrapped: LOCAL }),
  async unwrap(wrapped) {
    if (wrapped !== LOCAL) throw new UndecryptableText('a sealed text needs a key of AWS KMS');
    return key;
  },
});

const LOCAL = 'local';
