import { decryptJson, encryptJson } from '../../shared/auth/encrypted-json.ts';
import type { JsonObject } from '../../shared/contract/fields.ts';
import type { PermissionCode } from '../../shared/contract/route.ts';
import { type Caller, mayDo } from '../../shared/identity/caller.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import type { WebhookEvent } from './contract.ts';
import type { StoredEvent } from './store.ts';

/** What an event brought along: encrypted in the table, and shown with the rules of the records that it speaks of. */

const placeOf = (id: string): string => `webhook-event/${id}`;

export const sealData = (data: JsonObject, tenant: Tenant, id: string): Promise<string> =>
  encryptJson(data, tenant, placeOf(id));

/** What it takes to see the data of an event. */
export interface Protection {
  /** To see any of it. */
  readonly permission?: PermissionCode | undefined;
  /** To see these fields. */
  readonly fieldPermissions: Readonly<Record<string, PermissionCode>>;
}

/** The event as a caller may see it: data, and fields of it, that need a permission which the caller does not have are null. */
export async function showEvent(
  event: StoredEvent,
  { permission, fieldPermissions }: Protection,
  { tenant, caller }: { readonly tenant: Tenant; readonly caller: Caller },
): Promise<WebhookEvent> {
  if (event.data === null || (permission !== undefined && !mayDo(caller, permission))) return { ...event, data: null };
  const data = await decryptJson(event.data, tenant, placeOf(event.id));
  const hidden = Object.entries(fieldPermissions).filter(
    ([field, permission]) => Object.hasOwn(data, field) && !mayDo(caller, permission),
  );
  return { ...event, data: { ...data, ...Object.fromEntries(hidden.map(([field]) => [field, null])) } };
}
