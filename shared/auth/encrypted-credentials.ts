import { type PermissionCode, Problem } from '#contract';
import type { JsonObject } from '#contract/field';
import { type Caller, mayDo } from '#identity';
import type { Stored, Tenant } from '#table';
import { encryptedJson } from './encrypted-json.ts';

/**
 * The `credentials` of services and resources: stored as ciphertext that is bound to tenant and record; reading and
 * writing them needs a separate permission (`docs/decisions/0071`). A caller without it reads null, and its null in a
 * change has no effect.
 */

/** A record as it is stored. */
interface Encrypted {
  readonly id: string;
  readonly credentials: string | null;
}

/** A record as a caller may see it. */
type Decrypted<T extends Encrypted> = Omit<T, 'credentials'> & { readonly credentials: JsonObject | null };

interface Reader {
  readonly tenant: Tenant;
  readonly caller: Caller;
}

interface EncryptedCredentials {
  /** @throws Problem `forbidden` when the caller sets credentials without the permission */
  check(caller: Caller, given: JsonObject | null | undefined): void;
  encrypt(tenant: Tenant, id: string, given: JsonObject | null): Promise<string | null>;
  /** The changes of a record, with their credentials encrypted if they have any. */
  encryptIn<C extends { readonly credentials?: JsonObject | null }>(
    tenant: Tenant,
    id: string,
    changes: C,
  ): Promise<Omit<C, 'credentials'> & Partial<Pick<Encrypted, 'credentials'>>>;
  /** The record with its credentials decrypted; null where the caller may not read them. */
  decryptIn<T extends Encrypted>(reader: Reader, stored: Stored<T>): Promise<Stored<Decrypted<T>>>;
}

/** @param kind as of {@link encryptedJson} */
export function encryptedCredentials(kind: 'service' | 'resource', permission: PermissionCode): EncryptedCredentials {
  const json = encryptedJson(kind);

  const encrypt: EncryptedCredentials['encrypt'] = async (tenant, id, given) =>
    given === null ? null : json.encrypt(given, tenant, id);

  const decryptIn: EncryptedCredentials['decryptIn'] = async ({ tenant, caller }, stored) => {
    const { id, credentials } = stored.record;
    const isShown = credentials !== null && mayDo(caller, permission);
    const decrypted = isShown ? await json.decrypt(credentials, tenant, id) : null;
    return { ...stored, record: { ...stored.record, credentials: decrypted } };
  };

  return {
    check(caller, given) {
      if (given === null || given === undefined || mayDo(caller, permission)) return;
      throw new Problem('forbidden', {
        detail: `This needs the permission ${permission}.`,
        errors: [{ in: 'body', pointer: '#/credentials', detail: `needs the permission ${permission}` }],
      });
    },
    encrypt,
    async encryptIn(tenant, id, { credentials, ...changes }) {
      return credentials === undefined ? changes : { ...changes, credentials: await encrypt(tenant, id, credentials) };
    },
    decryptIn,
  };
}
