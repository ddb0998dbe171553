import type { JsonObject } from '../contract/fields.ts';
import { parseJson } from '../contract/json.ts';
import { dataKeyCache } from '../table/system/data-key-cache.ts';
import type { Tenant } from '../table/tenant.ts';
import { environmentEncryption } from './environment.ts';

/** Free-form JSON that the table holds as ciphertext only. */

/** @param record what of the tenant it belongs to, and opens with alone: `service/<id>` */
export async function encryptJson(value: JsonObject, tenant: Tenant, record: string): Promise<string> {
  const box = await environmentEncryption();
  return box.encrypt(JSON.stringify(value), { tenant: tenant.id, record }, dataKeyCache(tenant));
}

/** @throws UndecryptableText */
export async function decryptJson(encrypted: string, tenant: Tenant, record: string): Promise<JsonObject> {
  const box = await environmentEncryption();
  return parseJson(await box.decrypt(encrypted, { tenant: tenant.id, record })) as JsonObject;
}
