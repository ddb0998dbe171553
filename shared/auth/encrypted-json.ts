import type { JsonObject } from '#contract/field';
import { parseJson } from '#json';
import type { Tenant } from '#table';
import { dataKeyCache } from '#tenancy';
import { environmentEncryption } from './environment.ts';

/** Free-form JSON that is stored as ciphertext only. */

/** @param record what the ciphertext is bound to: `service/<id>` */
export async function encryptJson(value: JsonObject, tenant: Tenant, record: string): Promise<string> {
  const encryption = await environmentEncryption();
  return encryption.encrypt(JSON.stringify(value), { tenant: tenant.id, record }, dataKeyCache(tenant));
}

/** @throws UndecryptableText */
export async function decryptJson(encrypted: string, tenant: Tenant, record: string): Promise<JsonObject> {
  const encryption = await environmentEncryption();
  return parseJson(await encryption.decrypt(encrypted, { tenant: tenant.id, record })) as JsonObject;
}
