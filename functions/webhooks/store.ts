import { entity } from '../../shared/table/entity.ts';
import type { WebhookEvent } from './contract.ts';

/** Days for which events are kept and their ids remembered. */
export const RETENTION_DAYS = 30;

export const eventEntity = entity<WebhookEvent>('WEBHOOK_EVENT', {
  filters: [['integration_id'], ['event_type'], ['integration_id', 'event_type']],
  json: ['data'],
  retentionDays: RETENTION_DAYS,
});

/** What is remembered of an event id. */
export interface SeenEvent {
  /** SHA-256 of the body's compact form: the same event may be serialized anew when it is sent again. */
  readonly body_sha256: string;
}
