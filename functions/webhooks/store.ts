import { encryptedJson } from '#auth';
import type { JsonObject } from '#contract/field';
import { type Caller, mayDo } from '#identity';
import { entity, set, storedAs, type Tenant } from '#table';
import { MAX_IGNORED, MAX_IGNORED_NAME, type WebhookEvent, webhookEvent } from './contract.ts';
import type { Effect } from './effects.ts';

/**
 * An event as stored: its data is encrypted, because it may contain credentials, or secrets in fields that only the
 * sender knows. Null where it was too long to be stored.
 */
export type StoredEvent = Omit<WebhookEvent, 'data'> & { readonly data: string | null };

/** Days for which events and their ids are kept. */
export const RETENTION_DAYS = 30;

export const eventEntity = entity('WEBHOOK_EVENT', storedAs<StoredEvent>(webhookEvent), {
  indexes: [set('integration_id'), set('event_type')],
  createdAt: 'received_at',
  retentionDays: RETENTION_DAYS,
});

/** The value of an event id in the deduplication store. */
export interface SeenEvent {
  /** SHA-256 of the body's compact form, because a sender may serialize the same event differently when it retries. */
  readonly body_sha256: string;
}

/** The names of ignored members as they are kept. */
export const ignoredFields = (names: readonly string[]): string[] =>
  names.slice(0, MAX_IGNORED).map((name) => name.slice(0, MAX_IGNORED_NAME).toWellFormed());

const eventData = encryptedJson('webhook-event');

export const encryptData = eventData.encrypt;

/** The data of an event as sent. */
export const decryptData = async ({ id, data }: StoredEvent, tenant: Tenant): Promise<JsonObject | null> =>
  data === null ? null : eventData.decrypt(data, tenant, id);

/** The event as a caller may see it: without the permission for the data, or for a field of it, that is null. */
export async function showStoredEvent(
  event: StoredEvent,
  { permission, fieldPermissions }: Partial<Pick<Effect, 'permission' | 'fieldPermissions'>>,
  { tenant, caller }: { readonly tenant: Tenant; readonly caller: Caller },
): Promise<WebhookEvent> {
  const data = permission !== undefined && !mayDo(caller, permission) ? null : await decryptData(event, tenant);
  if (data === null) return { ...event, data };
  const hidden = Object.entries(fieldPermissions ?? {}).filter(
    ([field, needed]) => Object.hasOwn(data, field) && !mayDo(caller, needed),
  );
  return { ...event, data: { ...data, ...Object.fromEntries(hidden.map(([field]) => [field, null])) } };
}
