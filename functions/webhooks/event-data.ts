import { encryptedJson } from '#auth';
import type { PermissionCode } from '#contract';
import type { JsonObject } from '#contract/field';
import { type Caller, mayDo } from '#identity';
import type { Tenant } from '#table';
import type { WebhookEvent } from './contract.ts';
import type { StoredEvent } from './store.ts';

/** The data of events: stored encrypted, and shown by the same rules as the records that it is about. */

const eventData = encryptedJson('webhook-event');

export const encryptData = eventData.encrypt;

/**
 * The data of an event as sent; null where it was too long to be stored. The operator needs it to apply the event
 * again.
 */
export const decryptData = async ({ id, data }: StoredEvent, tenant: Tenant): Promise<JsonObject | null> =>
  data === null ? null : eventData.decrypt(data, tenant, id);

/** The permissions needed to see the data of an event. */
export interface Protection {
  /** To see any field. */
  readonly permission?: PermissionCode | undefined;
  /** To see these fields. */
  readonly fieldPermissions: Readonly<Record<string, PermissionCode>>;
}

/** The event as a caller may see it: without the permission for the data, or for a field of it, that is null. */
export async function showEvent(
  event: StoredEvent,
  { permission, fieldPermissions }: Protection,
  { tenant, caller }: { readonly tenant: Tenant; readonly caller: Caller },
): Promise<WebhookEvent> {
  if (event.data === null || (permission !== undefined && !mayDo(caller, permission))) return { ...event, data: null };
  const data = await eventData.decrypt(event.data, tenant, event.id);
  const hidden = Object.entries(fieldPermissions).filter(
    ([field, permission]) => Object.hasOwn(data, field) && !mayDo(caller, permission),
  );
  return { ...event, data: { ...data, ...Object.fromEntries(hidden.map(([field]) => [field, null])) } };
}
