import type { JsonObject } from '#contract/field';
import { parseJson } from '#json';
import type { Tenant } from '#table';
import { dataKeyCache } from '#tenancy';
import { environmentEncryption } from './environment.ts';

interface EncryptedJson {
  encrypt(value: JsonObject, tenant: Tenant, id: string): Promise<string>;
  /** @throws UndecryptableText */
  decrypt(text: string, tenant: Tenant, id: string): Promise<JsonObject>;
}

/**
 * Free-form JSON that is stored as ciphertext only, bound to tenant and record.
 * @param kind of record: part of the associated data of every ciphertext; never change it
 * @example const text = await encryptedJson('service').encrypt({ user: 'root' }, tenant, service.id);
 */
export const encryptedJson = (kind: 'service' | 'resource' | 'webhook-event'): EncryptedJson => ({
  async encrypt(value, tenant, id) {
    const encryption = await environmentEncryption();
    return encryption.encrypt(
      JSON.stringify(value),
      { tenant: tenant.id, record: `${kind}/${id}` },
      dataKeyCache(tenant),
    );
  },
  async decrypt(text, tenant, id) {
    const encryption = await environmentEncryption();
    return parseJson(await encryption.decrypt(text, { tenant: tenant.id, record: `${kind}/${id}` })) as JsonObject;
  },
});
