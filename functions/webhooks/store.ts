import { entity, storedAs } from '../../shared/table/repository/entity.ts';
import { type WebhookEvent, webhookEvent } from './contract.ts';

/** An event as stored: what it brought along is encrypted, for it may hold credentials, or secrets under names that only the sender knows. */
export type StoredEvent = Omit<WebhookEvent, 'data'> & { readonly data: string | null };

/** Days for which events are kept and their ids remembered. */
export const RETENTION_DAYS = 30;

export const eventEntity = entity('WEBHOOK_EVENT', storedAs<StoredEvent>(webhookEvent), {
  filters: ['integration_id', 'event_type'],
  retentionDays: RETENTION_DAYS,
});

/** What is remembered of an event id. */
export interface SeenEvent {
  /** SHA-256 of the body's compact form: the same event may be serialized anew when it is sent again. */
  readonly body_sha256: string;
}
