import * as z from 'zod';
import {
  accepted,
  adapted,
  body,
  contract,
  created,
  declared,
  noContent,
  ok,
  optionalOnCreate,
  pageOf,
  type RecordOf,
  readOnly,
  record,
  route,
} from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import * as sentence from '#contract/sentence';
import { event } from '../contract.ts';
import {
  attemptExample,
  CHALLENGE,
  endpointExample,
  MOVED_TO,
  PREVIOUS_EXPIRES,
  pingExample,
  SECRETS,
  UNVERIFIED,
} from './examples.ts';

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

export const webhookEndpoint = record('WebhookEndpoint', () => ({
  id: readOnly(field.uuid().describe(sentence.ID)),
  integration_id: optionalOnCreate(
    field
      .reference('Integration')
      .describe(
        'Whose permissions decide at each delivery which events it gets. The caller unless given; a platform caller must name one of the organization.',
      ),
  ),
  app_code: readOnly(field.text(100).describe('By which that integration logs in; it never changes.')),
  url: field
    .webAddress()
    .describe(
      'Where events are sent: https, at a public address, without user name and password. Redirects are not followed. Path and query are shown only to who has `webhook-endpoints:write`.',
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
  status: readOnly(
    z
      .enum(STATUSES)
      .describe(
        '`unverified` until its receiver answers a ping; `active`; `paused` by a request, or until a caller confirms it; `disabled` after five days of failures or a 410; `expired` where the next event is kept no more.',
      ),
  ),
  status_reason: readOnly(
    z
      .enum(REASONS)
      .nullable()
      .describe(
        'Why it is not active; null while it is. `tokens_ended`, `more_permissions` and `integration_inactive` are about its integration, `confirmer_cut_off` about the one whose key confirmed it last.',
      )
      .meta({ examples: ['more_permissions'] }),
  ),
  delivered_through: readOnly(
    field.text(64).nullable().describe('Cursor of `GET /events` up to which it has got them.'),
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
      .describe(
        'No call before: the last one failed, the organization’s delivery budget is spent, or a replay waits for its turn. Null where none of them is so.',
      ),
  ),
  last_success_at: readOnly(field.timestamp().nullable().describe('When it last accepted a delivery.')),
  replayed_at: readOnly(
    field.timestamp().nullable().describe('When a replay last moved that cursor; null where none has.'),
  ),
  created_at: readOnly(field.timestamp().describe(sentence.CREATED_AT)),
})).describe('An address of yours to which the service sends events as they happen.');
export type WebhookEndpoint = RecordOf<typeof webhookEndpoint>;

export const deliveryAttempt = record('DeliveryAttempt', () => ({
  id: readOnly(field.uuid().describe(sentence.ID)),
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
const endpointChange = adapted(webhookEndpoint.patch, (schema) =>
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

const shownOnce = () =>
  z.string().max(100).nullable().describe(`By which deliveries are signed. ${sentence.SHOWN_ONCE}`);

/** The response of a creation, the only one with the secret. */
const createdEndpoint = declared(() =>
  webhookEndpoint.schema
    .extend({ secret: shownOnce() })
    .describe('A new endpoint, with the secret that is shown only here.')
    .meta({ id: 'CreatedWebhookEndpoint' }),
);

/** How long the previous secret may stay valid, in seconds: a day by default, at most a week. */
const PREVIOUS = { longest: 604_800, standard: 86_400 } as const;

const rotation = body('WebhookSecretRotation', () => ({
  previous_valid_for: field
    .whole(0, PREVIOUS.longest)
    .default(PREVIOUS.standard)
    .describe('How long deliveries are signed with the secret before as well, in seconds; 0 when it may have leaked.'),
})).describe('How to replace the secret of an endpoint; the empty object `{}` will do.');

const rotatedEndpoint = declared(() =>
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

const replay = body('WebhookReplay', () => ({
  from: field
    .text(64, 1)
    .describe(
      'From where to deliver: a cursor of `GET /events` or of `delivered_through`, `oldest` for all events that are kept, or `latest` for none of them.',
    ),
})).describe('From where an endpoint goes on.');

const verification = body('WebhookVerification', () => ({
  code: field.text(100, 1).describe('The `challenge` in the last ping that the receiver got.'),
})).describe('Shows that somebody sees what an endpoint receives.');

const params = () => ({ id: field.reference('WebhookEndpoint') });

/** Why the list has no filter by how far an endpoint is. */
const MOVES = 'is kept apart from the endpoint';

export const webhookEndpoints = contract({
  name: 'webhook-endpoints',
  tag: 'Webhook endpoints',
  description:
    'Where the service sends events. Not to be confused with `/webhooks/{app_code}`, which receives events of yours.',
  routes: {
    listWebhookEndpoints: route('GET', '/api/v1/webhook-endpoints', {
      summary: 'List webhook endpoints',
      extension: true,
      permission: 'webhook-endpoints:read',
      query: parameter.page,
      unfiltered: {
        url: 'its path and query are not shown to everybody',
        delivered_through: MOVES,
        backlog: MOVES,
        failing_since: MOVES,
        waits_until: MOVES,
        last_success_at: MOVES,
      },
      response: pageOf(webhookEndpoint, 'A page of endpoints, without their secrets.', endpointExample),
    }),
    createWebhookEndpoint: route('POST', '/api/v1/webhook-endpoints', {
      summary: 'Create a webhook endpoint',
      description: `It gets the events of changes from now on, once its receiver has answered a ping with the HMAC-SHA256 of its \`challenge\`, or somebody has sent that to \`…/verify\`. A tenant has at most ${MOST_PINGS} pings an hour. The response shows the secret that signs deliveries, once. The caller needs all permissions of the integration that the endpoint is to belong to. An organization may have ${MOST_ENDPOINTS} endpoints: one more is a 409, but to a platform caller.`,
      extension: true,
      permission: 'webhook-endpoints:write',
      privileged: true,
      body: webhookEndpoint.create,
      bodyExample: { url: endpointExample.url, event_types: endpointExample.event_types },
      response: created(createdEndpoint, 'The created endpoint, with its secret.', {
        ...endpointExample,
        ...UNVERIFIED,
        secret: SECRETS.first,
      }),
      errors: ['conflict'],
    }),
    getWebhookEndpoint: route('GET', '/api/v1/webhook-endpoints/{id}', {
      summary: 'Read a webhook endpoint',
      description: 'With how far it is, and how many events are kept for it.',
      extension: true,
      permission: 'webhook-endpoints:read',
      params,
      response: ok(webhookEndpoint, 'The endpoint, without its secret.', endpointExample),
      errors: ['not-found'],
    }),
    updateWebhookEndpoint: route('PATCH', '/api/v1/webhook-endpoints/{id}', {
      summary: 'Change a webhook endpoint',
      description:
        'Whoever changes more than `description` needs all permissions of the integration. An endpoint is `paused` when the tokens of its integration are ended, or it gets more permissions; `{ "status": "active" }` confirms it. Look at its `url` before: that is where the events will go. At another `url` it is `unverified` until the receiver there has answered a ping. One that is `expired` becomes active by a replay only.',
      extension: true,
      permission: 'webhook-endpoints:write',
      privileged: true,
      params,
      body: endpointChange,
      bodyExample: { url: MOVED_TO },
      response: ok(webhookEndpoint, 'The updated endpoint.', { ...endpointExample, ...UNVERIFIED, url: MOVED_TO }),
      errors: ['not-found', 'conflict'],
    }),
    deleteWebhookEndpoint: route('DELETE', '/api/v1/webhook-endpoints/{id}', {
      summary: 'Delete a webhook endpoint',
      description:
        'Nothing more is delivered to it, but for a delivery that is under way. The caller needs all permissions of the integration.',
      extension: true,
      permission: 'webhook-endpoints:write',
      privileged: true,
      params,
      response: noContent('The endpoint and its list of failed deliveries are gone.'),
      errors: ['not-found'],
    }),
    rotateWebhookEndpointSecret: route('POST', '/api/v1/webhook-endpoints/{id}/rotate-secret', {
      summary: 'Give a webhook endpoint a new secret',
      description:
        'Deliveries have a signature with the new secret at once, and one with the secret before for as long as `previous_valid_for` says. There are never more than two secrets: rotated again meanwhile, the oldest ends.',
      extension: true,
      permission: 'webhook-endpoints:write',
      privileged: true,
      params,
      body: rotation,
      bodyExample: { previous_valid_for: PREVIOUS.standard },
      response: created(rotatedEndpoint, 'The endpoint with its new secret.', {
        ...endpointExample,
        secret: SECRETS.second,
        previous_expires_at: PREVIOUS_EXPIRES,
      }),
      errors: ['not-found'],
    }),
    pingWebhookEndpoint: route('POST', '/api/v1/webhook-endpoints/{id}/ping', {
      summary: 'Send an event to an endpoint, as a trial',
      description: `An event \`webhook_endpoint.pinged\` comes into the journal, and is delivered in its turn and signed like any other, to this endpoint only, whatever its \`event_types\`. One that is \`unverified\` is asked for proof before, with a new \`challenge\`. Only an active or unverified endpoint can be pinged, and all of a tenant together ${MOST_PINGS} times an hour.`,
      extension: true,
      permission: 'webhook-endpoints:write',
      privileged: true,
      params,
      response: accepted(event, 'The event, which is going to be delivered.', pingExample),
      errors: ['not-found', 'conflict'],
    }),
    verifyWebhookEndpoint: route('POST', '/api/v1/webhook-endpoints/{id}/verify', {
      summary: 'Verify an endpoint by hand',
      description: 'For a receiver that cannot answer a ping. The caller needs all permissions of the integration.',
      extension: true,
      permission: 'webhook-endpoints:write',
      privileged: true,
      params,
      body: verification,
      bodyExample: { code: CHALLENGE },
      response: ok(webhookEndpoint, 'The endpoint, which is active.', endpointExample),
      errors: ['not-found', 'conflict'],
    }),
    replayWebhookEndpoint: route('POST', '/api/v1/webhook-endpoints/{id}/replay', {
      summary: 'Deliver from another place on',
      description:
        'Back, to repeat what was delivered, or forward, to leave events out. An endpoint that is `expired` becomes active by it; one that is paused or disabled stays so. Of those that go back, one a minute and ten an hour begin in an organization: others wait, until `waits_until`, and one that would wait for more than an hour is a 429. Calls wait after failures as before.',
      extension: true,
      permission: 'webhook-endpoints:write',
      privileged: true,
      params,
      body: replay,
      bodyExample: { from: 'oldest' },
      response: ok(webhookEndpoint, 'The endpoint, which goes on from there.', endpointExample),
      errors: ['not-found', 'conflict', 'cursor-expired'],
    }),
    listWebhookEndpointAttempts: route('GET', '/api/v1/webhook-endpoints/{id}/attempts', {
      summary: 'List failed deliveries of an endpoint',
      description: 'Those of the last seven days. When a delivery last succeeded is in the endpoint.',
      extension: true,
      permission: 'webhook-endpoints:read',
      params,
      query: parameter.page,
      response: pageOf(deliveryAttempt, 'A page of failed deliveries.', attemptExample),
      errors: ['not-found'],
    }),
  },
  shownOnce: ['secret'],
});
