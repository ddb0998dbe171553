import { accepted, contract, created, noContent, ok, pageOf, route } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import { event } from '../contract.ts';
import {
  createdEndpoint,
  deliveryAttempt,
  endpointChange,
  MOST_ENDPOINTS,
  MOST_PINGS,
  PREVIOUS,
  replay,
  rotatedEndpoint,
  rotation,
  verification,
  webhookEndpoint,
} from './records.ts';

const endpointExample = {
  id: 'c2a4e8f0-7b31-4d5c-9e62-0f1a3b5c7d9e',
  integration_id: '87d6100d-2b60-4d21-b6a1-90c4ee1f7a35',
  app_code: 'acme-billing',
  url: 'https://hooks.acme.example/custodia',
  event_types: ['ticket.created', 'ticket.updated'],
  description: 'Tickets for the billing system',
  batch_size: 1,
  payload: 'event',
  status: 'active',
  status_reason: null,
  delivered_through: 'AQyq5P8tHkc7mAAAAAAAAJ4rXo2Qv1Zb',
  backlog: 0,
  failing_since: null,
  waits_until: null,
  last_success_at: '2026-11-20T09:41:12.000Z',
  replayed_at: null,
  created_at: '2026-11-20T09:30:00.000Z',
};

/** What an endpoint is before its receiver has answered a ping. */
const UNVERIFIED = { status: 'unverified', status_reason: 'ping_pending', last_success_at: null };

const CHALLENGE = 'Hf3mQ0sYt7LrXe9KpJwZ1hNfUc5GdAi8oT2yRkB6xSE';

const attemptExample = {
  id: '5e1c7a90-3d42-4b8f-a6c1-2f9d8e7b6a54',
  attempted_at: '2026-11-20T09:40:07.000Z',
  status_code: 503,
  error: null,
  events: 1,
  first_event_id: '0d9f8e7c-6b5a-4c3d-8e2f-1a0b9c8d7e6f',
  duration_ms: 412,
  skipped: false,
};

const MOVED_TO = 'https://hooks.acme.example/v2/custodia';

const SECRETS = {
  first: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDAAAAAAAAAAA=',
  second: 'whsec_nT0nXJqzOZbQ3f0rWc8mYb1uHk5dLs7pAAAAAAAAAAA=',
} as const;

const PREVIOUS_EXPIRES = '2026-11-21T09:30:00.000Z';

const pingExample = {
  id: '0d9f8e7c-6b5a-4c3d-8e2f-1a0b9c8d7e6f',
  type: 'webhook_endpoint.pinged',
  occurred_at: '2026-11-20T09:41:11.000Z',
  record_type: 'WebhookEndpoint',
  record_id: endpointExample.id,
  parent_id: null,
  version: 1,
  changed_fields: null,
  actor_id: endpointExample.integration_id,
  request_id: 'b4c8f0e2-6a1d-4f39-8e57-2d90c3a7b615',
};

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
      description:
        'It gets the events of changes from now on, once its receiver has answered a ping with the HMAC-SHA256 of ' +
        'its `challenge`, or somebody has sent that to `…/verify`. The response shows the secret that signs ' +
        'deliveries, once. The caller needs all permissions of the integration. An organization has at most ' +
        `${MOST_PINGS} pings an hour, and ${MOST_ENDPOINTS} endpoints: one more is a 409, except for a platform ` +
        'caller.',
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
        'A caller that changes more than `description` needs all permissions of the integration. `{ "status": ' +
        '"active" }` confirms an endpoint that is `paused`: look at its `url` before. At another `url` it is ' +
        '`unverified` until the receiver there has answered a ping. Only a replay makes one that is `expired` ' +
        'active.',
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
        'Only a delivery that is under way is still made. The caller needs all permissions of the integration.',
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
        'Deliveries have a signature with the new secret at once, and one with the secret before for as long as ' +
        '`previous_valid_for` says. There are never more than two: the oldest ends.',
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
      description:
        'An event `webhook_endpoint.pinged` is delivered in its turn to this endpoint only, whatever its ' +
        '`event_types`. One that is `unverified` is asked for proof, with a new `challenge`. Only an active or ' +
        `unverified endpoint can be pinged; an organization has ${MOST_PINGS} pings an hour.`,
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
        'Back, to repeat what was delivered, or forward, to leave events out. An endpoint that is `expired` ' +
        'becomes active; one that is paused or disabled stays so. One replay back a minute, and ten an hour, ' +
        'begin in an organization: others wait until `waits_until`, and one that would wait for more than an hour' +
        ' is a 429.',
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
