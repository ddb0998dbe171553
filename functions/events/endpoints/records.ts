import * as z from 'zod';
import { adapted, body, declared, optionalOnCreate, type RecordOf, readOnly, record } from '#contract';
import * as field from '#contract/field';

/** The records of endpoints, and the bodies of requests and responses about them. */

/** Most events of one delivery. */
const MOST_IN_BATCH = 100;

/** Most endpoints of an organization. */
export const MOST_ENDPOINTS = 20;

/**
 * Most pings of all endpoints of a tenant together in an hour: nobody can point the service at hosts that have not said
 * that they want it.
 */
export const MOST_PINGS = 10;

/**
 * Longest duration of a call that is shown, in milliseconds. No call takes as long, but its worker may be paused
 * meanwhile.
 */
export const LONGEST_DURATION = 1_000_000;

/** Most types of events that an endpoint names. */
const MOST_TYPES = 100;

const STATUSES = ['active', 'unverified', 'paused', 'disabled', 'expired'] as const;

const REASONS = [
  'ping_pending',
  'ping_failed',
  'ping_answer_wrong',
  'not_pinged',
  'requested',
  'tokens_ended',
  'more_permissions',
  'integration_inactive',
  'confirmer_cut_off',
  'failing',
  'gone',
  'cursor_expired',
] as const;

/** Only the form is checked here: which types there are follows from all contracts (`functions/events/visible.ts`). */
const eventTypes = () =>
  field
    .list(
      field.bounded(100).regex(/^[a-z][a-z_]*\.[a-z]+$/, { error: 'must have the form <entity>.<verb>' }),
      MOST_TYPES,
      1,
    )
    .nullable();

const settingsFields = () => ({
  url: field
    .webAddress()
    .describe(
      'Where events are sent: https, at a public address, without user name and password. Redirects are not ' +
        'followed. Path and query are shown only to who has `webhook-endpoints:write`.',
    ),
  event_types: eventTypes()
    .default(null)
    .describe('Which events it gets, such as `ticket.updated`; null for all that the integration may read.'),
  description: field.text(500).nullable().default(null).describe('What it is for, for people.'),
  batch_size: field
    .whole(1, MOST_IN_BATCH)
    .default(1)
    .describe('Most events of a delivery; with more than 1 those that wait come as a batch.'),
  payload: z
    .enum(['event', 'record'])
    .default('event')
    .describe('`event`: what happened, without values. `record`: also the record as it is at the delivery.'),
});

/** How far an endpoint is. */
const progressFields = () => ({
  delivered_through: readOnly(
    field.text(64).nullable().describe('Cursor of `GET /events` after the last event that it received.'),
  ),
  backlog: readOnly(
    field
      .count()
      .nullable()
      .describe('How many events of any type are kept after that cursor; null where it has expired.'),
  ),
  failing_since: readOnly(
    field.timestamp().nullable().describe('Since when all deliveries fail; null where the last one did not.'),
  ),
  waits_until: readOnly(
    field
      .timestamp()
      .nullable()
      .describe('No call before: the last one failed, the delivery budget is spent, or a replay waits for its turn.'),
  ),
  last_success_at: readOnly(field.timestamp().nullable().describe('When it last accepted a delivery.')),
});

export const webhookEndpoint = record('WebhookEndpoint', () => ({
  id: readOnly(field.uuid()),
  integration_id: optionalOnCreate(
    field
      .reference('Integration')
      .describe(
        'Whose permissions decide at each delivery which events it gets. The caller unless given; a platform ' +
          'caller must name one of the organization.',
      ),
  ),
  app_code: readOnly(field.text(100).describe('By which that integration logs in; it never changes.')),
  ...settingsFields(),
  status: readOnly(
    z
      .enum(STATUSES)
      .describe(
        '`unverified` until its receiver answers a ping; `active`; `paused` by a request, or until a caller ' +
          'confirms it; `disabled` after five days of failures or a 410; `expired` where the next event is kept no ' +
          'more.',
      ),
  ),
  status_reason: readOnly(
    z
      .enum(REASONS)
      .nullable()
      .describe(
        'Why it is not active; null while it is. `confirmer_cut_off` is about the integration whose key confirmed ' +
          'it last.',
      )
      .meta({ examples: ['more_permissions'] }),
  ),
  ...progressFields(),
  replayed_at: readOnly(
    field.timestamp().nullable().describe('When a replay last moved that cursor; null where none has.'),
  ),
  created_at: readOnly(field.timestamp()),
})).describe('An address of yours to which the service sends events as they happen.');
export type WebhookEndpoint = RecordOf<typeof webhookEndpoint>;

export const deliveryAttempt = record('DeliveryAttempt', () => ({
  id: readOnly(field.uuid()),
  attempted_at: readOnly(field.timestamp().describe('When the call began, by the clock of the service.')),
  status_code: readOnly(
    field.whole(100, 999).nullable().describe('HTTP status of the response; null where there was none.'),
  ),
  error: readOnly(
    field
      .text(40)
      .nullable()
      .describe('Why there was no response: `timeout`, `tls` …')
      .meta({ examples: ['timeout'] }),
  ),
  events: readOnly(field.whole(1, MOST_IN_BATCH).describe('How many events were sent together.')),
  first_event_id: readOnly(field.uuid().describe('Which event was the first of them.')),
  duration_ms: readOnly(field.count(LONGEST_DURATION).describe('How long the call took, in milliseconds.')),
  skipped: readOnly(field.flag().describe('Whether the event was given up: refused five times, and not sent again.')),
})).describe('A call to an endpoint that did not take the events.');
export type DeliveryAttempt = RecordOf<typeof deliveryAttempt>;

/** The change may set two of the values of `status`, and may name any where the endpoint has it already. */
export const endpointChange = adapted(webhookEndpoint.patch, (schema) =>
  schema.extend({
    status: z
      .enum(STATUSES)
      .optional()
      .meta(field.shownAs({ type: 'string', enum: ['active', 'paused'], examples: ['paused'] }))
      .describe(
        '`active` confirms what the integration may do now. Other values than the two must be the one that it has.',
      ),
  }),
);

const shownOnce = () => field.shownOnce(100, 'By which deliveries are signed.');

/** The response of a creation, the only one with the secret. */
export const createdEndpoint = declared(() =>
  webhookEndpoint.schema
    .extend({ secret: shownOnce() })
    .describe('A new endpoint, with the secret that is shown only here.')
    .meta({ id: 'CreatedWebhookEndpoint' }),
);

/** How long the previous secret may stay valid, in seconds: a day by default, at most a week. */
export const PREVIOUS = { longest: 604_800, standard: 86_400 } as const;

export const rotation = body('WebhookSecretRotation', () => ({
  previous_valid_for: field
    .whole(0, PREVIOUS.longest)
    .default(PREVIOUS.standard)
    .describe('How long deliveries are signed with the secret before as well, in seconds; 0 when it may have leaked.'),
})).describe('How to replace the secret of an endpoint; the empty object `{}` will do.');

export const rotatedEndpoint = declared(() =>
  webhookEndpoint.schema
    .extend({
      secret: shownOnce(),
      previous_expires_at: field
        .timestamp()
        .nullable()
        .describe('Until when deliveries have a signature with the secret before as well; null: no more.'),
    })
    .describe('An endpoint with its new secret, which is shown only here.')
    .meta({ id: 'RotatedWebhookEndpoint' }),
);

export const replay = body('WebhookReplay', () => ({
  from: field
    .text(64, 1)
    .describe(
      'From where to deliver: a cursor of `GET /events` or of `delivered_through`, `oldest` for all events that ' +
        'are kept, or `latest` for none of them.',
    ),
})).describe('From where an endpoint goes on.');

export const verification = body('WebhookVerification', () => ({
  code: field.text(100, 1).describe('The `challenge` in the last ping that the receiver got.'),
})).describe('Shows that somebody sees what an endpoint receives.');
