import type { JsonObject } from '../contract/fields.ts';
import { parseJson } from '../contract/json.ts';
import { dataKeyShelf } from '../table/data-key-shelf.ts';
import type { Tenant } from '../table/tenant.ts';
import { environmentSecretBox } from './environment.ts';

/** Free-form JSON that the table holds as ciphertext only. */

/** @param record what of the tenant it belongs to, and opens with alone: `service/<id>` */
export async function sealJson(value: JsonObject, tenant: Tenant, record: string): Promise<string> {
  const box = await environmentSecretBox();
  return box.seal(JSON.stringify(value), { tenant: tenant.id, record }, dataKeyShelf(tenant));
}

/** @throws UnreadableSecret */
export async function openJson(sealed: string, tenant: Tenant, record: string): Promise<JsonObject> {
  const box = await environmentSecretBox();
  return parseJson(await box.open(sealed, { tenant: tenant.id, record })) as JsonObject;
}
