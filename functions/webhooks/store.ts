import { entity, set, storedAs } from '#table';
import { MAX_IGNORED, MAX_IGNORED_NAME, type WebhookEvent, webhookEvent } from './contract.ts';

/**
 * An event as stored: its data is encrypted, because it may contain credentials, or secrets in fields that only the
 * sender knows.
 */
export type StoredEvent = Omit<WebhookEvent, 'data'> & { readonly data: string | null };

/** The names of ignored members as they are kept. */
export const ignoredFields = (names: readonly string[]): string[] =>
  names.slice(0, MAX_IGNORED).map((name) => name.slice(0, MAX_IGNORED_NAME).toWellFormed());

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
