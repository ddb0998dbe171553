import type { Permissions } from '#identity';
import { entity, storedAs, type Tenant } from '#table';
import { deliveryAttempt, type WebhookEndpoint, webhookEndpoint } from './endpoints/records.ts';

/** The authority of an endpoint's integration, as a live key last confirmed it (`docs/decisions/0201-events.md`). */
export interface Confirmed {
  readonly token_epoch: number;
  readonly permissions: Permissions;
  /**
   * Whose key confirmed it: another integration of the tenant. Absent where that is the endpoint's own, or one of the
   * platform.
   */
  readonly by?: ConfirmingKey;
}

export interface ConfirmingKey {
  readonly integration_id: string;
  readonly app_code: string;
  readonly token_epoch: number;
}

/** A secret that signs deliveries. */
export interface EndpointSecret {
  /** Encrypted (`functions/events/endpoints/secrets.ts`). */
  readonly sealed: string;
  /** Expiry in epoch seconds; null: never. */
  readonly expires_at: number | null;
}

/** How far an endpoint is. It is stored in an item of its own (`state/`), because deliveries change no version. */
const PROGRESS = ['delivered_through', 'backlog', 'failing_since', 'waits_until', 'last_success_at'] as const;
export type Progress = Pick<WebhookEndpoint, (typeof PROGRESS)[number]>;

/**
 * An endpoint as stored. Its status:
 *
 *     unverified ─ its receiver answers a ping ─▶ active
 *     active ─ asked for, or what was confirmed holds no more ─▶ paused ───┐
 *            ─ fails for five days, or answers 410 ─────────────▶ disabled ┴ set active, and confirmed ─▶ active
 *            ─ the next event is kept no more ──────────────────▶ expired ── replayed ─────────────────▶ active
 *            ─ another url ─▶ unverified: others become so once they are set active
 */
export interface StoredEndpoint extends Omit<WebhookEndpoint, keyof Progress> {
  /** One, or two during a rotation; the newest first. */
  readonly secrets: readonly EndpointSecret[];
  readonly confirmed: Confirmed;
  /**
   * What the last ping asks the receiver, until that has proved that it wants deliveries at this `url`; then null.
   * Absent for older endpoints.
   */
  readonly challenge?: string | null;
}

export const endpointEntity = entity('WEBHOOK_ENDPOINT', storedAs<StoredEndpoint>(webhookEndpoint), {
  elsewhere: PROGRESS,
  audited: webhookEndpoint.name,
  journaled: { trials: true },
});

export const attemptEntity = entity('ATTEMPT', deliveryAttempt, {
  createdAt: 'attempted_at',
  retentionDays: 7,
  parent: endpointEntity,
});

/** The failed deliveries of an endpoint. */
export const attemptsOf = (tenant: Tenant, endpointId: string) => tenant.below(attemptEntity, endpointId);

/** Declared in the storage code, which stages the events. */
export { journalEntity } from '#table';
