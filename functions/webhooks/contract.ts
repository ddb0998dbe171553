import * as z from 'zod';
import { body, contract, declared, ok, pageOf, type RecordOf, readOnly, record, route } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';

/** Largest body of a delivery, in bytes. */
export const MAX_WEBHOOK_BODY = 262_144;
/** Longest event id, in characters. */
export const MAX_EVENT_ID = 256;

/** Most names of ignored members that are kept for an event, and the longest part of each. */
export const MAX_IGNORED = 50;
export const MAX_IGNORED_NAME = 100;

/** `<entity>.<verb>` (spec §6), also for event types that only the partner knows. */
const eventType = () =>
  field.bounded(100).regex(/^[\w-]+(\.[\w-]+)+$/, { error: 'must have the form <entity>.<verb>' });

export const delivery = body('WebhookDelivery', () => ({
  event_type: eventType().describe('What happened to what: `<entity>.<verb>`, such as `client.created`.'),
  data: field
    .anyJsonObject()
    .describe('What the operation of that type takes, with the id of its path; of other types whatever you send.'),
})).describe('An event, of this API or of your own kind.');

const receipt = declared(() =>
  z
    .strictObject({
      received: z.literal(true).describe('That the event has been taken in: always true.'),
      app: field.text(200).describe('App code of the integration that sent it.'),
      timestamp: field.timestamp().describe('When it was received, by the clock of the service.'),
      outcome: z
        .enum(['stored'])
        .optional()
        .describe('Extends the specification: where no operation has the event type, so that it had no effect.')
        .meta({ examples: ['stored'] }),
      reason: field
        .text(500)
        .optional()
        .describe('Extends the specification: where the event had no effect, says why.')
        .meta({ examples: ['No operation of this API has this event type, so the event changed nothing.'] }),
    })
    .describe('Tells the sender that its event was processed.')
    .meta({ id: 'WebhookReceipt' }),
);

const summaryFields = () => ({
  id: readOnly(field.uuid()),
  integration_id: readOnly(field.reference('Integration').describe('Whose secret signed it, by its id.')),
  app_code: readOnly(field.text(100).describe('Under which app code it was delivered.')),
  event_id: readOnly(field.text(MAX_EVENT_ID).describe('How its sender names the event: `X-Event-ID`.')),
  event_type: readOnly(eventType().describe('What happened to what: `<entity>.<verb>`.')),
  occurred_at: readOnly(
    field
      .timestamp()
      .nullable()
      .describe('When it happened, as its sender says in `X-Timestamp`; null where that was left out.'),
  ),
  received_at: readOnly(field.timestamp().describe('When it came in, by the clock of the service.')),
  outcome: readOnly(
    z
      .enum(['applied', 'stored'])
      .describe(
        '`applied`: it did what the operation of its type does. `stored`: this service knows no operation for its ' +
          'type.',
      ),
  ),
  operation: readOnly(
    field.text(100).nullable().describe('Which operation it did, by its id in this document; null where none.'),
  ),
  record_id: readOnly(
    field.text(64).nullable().describe('Which record was created or changed by it; null where none.'),
  ),
  body_sha256: readOnly(
    z
      .string()
      .length(64)
      .regex(/^[0-9a-f]*$/, { error: 'must be digits and the letters a to f' })
      .describe('SHA-256 of the body as compact JSON, in hex.'),
  ),
});

export const eventSummary = record('WebhookEventSummary', summaryFields).describe(
  'What a list shows of a received event.',
);
export const webhookEvent = record('WebhookEvent', () => ({
  ...summaryFields(),
  data: readOnly(
    field
      .anyJsonObject()
      .nullable()
      .describe(
        'As the sender sent it; null where it was too long to be kept, or where the caller may not see such records.',
      ),
  ),
  ignored_fields: readOnly(
    field
      .list(field.text(MAX_IGNORED_NAME), MAX_IGNORED)
      .describe(
        'Members of `data` that the operation does not take. The first 50, each to ' + 'its first 100 characters.',
      ),
  ),
})).describe('An event that an integration has sent.');
export type WebhookEvent = RecordOf<typeof webhookEvent>;

const summaryExample = {
  id: '029eb7db-8f29-4f1b-a0c4-6d2e8b7f5a13',
  integration_id: '87d6100d-2b60-4d21-b6a1-90c4ee1f7a35',
  app_code: 'acme-billing',
  event_id: 'evt_8Yd2',
  event_type: 'client.created',
  occurred_at: '2026-11-20T09:29:58.000Z',
  received_at: '2026-11-20T09:30:00.000Z',
  outcome: 'applied',
  operation: 'createClient',
  record_id: '1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04',
  body_sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};
const example = { ...summaryExample, data: { name: 'Acme Lda', id: 4711 }, ignored_fields: ['id'] };

export const webhooks = contract({
  name: 'webhooks',
  tag: 'Webhooks',
  description: 'Signed events from external integrations, each with its effect exactly once.',
  mainOperation: 'receiveWebhook',
  routes: {
    receiveWebhook: route('POST', '/api/v1/webhooks/{app_code}', {
      summary: 'Deliver an event',
      description:
        'An event of an entity of this API does what the operation of the same name does; every other event is ' +
        'stored, and the response says so. Members of `data` that the operation does not take are ignored, and ' +
        'named in the record of the event. A 409 `event-already-processed` is a success for the sender. A ' +
        'delivery counts to the request budget of the integration. After several wrong signatures, deliveries ' +
        'with this app code from this address have to wait: `Retry-After` says how long.',
      auth: 'signature',
      params: () => ({
        app_code: field
          .identifier(200, 1)
          .describe('The integration that sends, by its app code.')
          .meta({ examples: ['acme-billing'] }),
      }),
      headers: {
        'X-Event-ID': {
          description: 'The sender’s own id of the event, such as `evt_8Yd2`; an event is processed once.',
          required: true,
          maxLength: MAX_EVENT_ID,
          pattern: '\\S',
        },
        'X-Timestamp': {
          description: 'When the event happened (ISO 8601), such as `2026-11-20T09:29:58Z`. It is not signed.',
          required: false,
          maxLength: 40,
          // Not the format `date-time`: openapi-python-client leaves out operations with an optional header of that
          // format.
          pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,12})?)?(Z|[+-]\\d{2}:\\d{2})$',
        },
      },
      body: delivery,
      maxBody: MAX_WEBHOOK_BODY,
      bodyExample: { event_type: 'client.created', data: { name: 'Acme Lda' } },
      response: ok(receipt, 'The event was received and processed.', {
        received: true,
        app: 'acme-billing',
        timestamp: '2026-11-20T09:30:00.000Z',
      }),
      errors: [
        'invalid-signature',
        'forbidden',
        'not-found',
        'event-already-processed',
        'event-id-reused',
        'reference-not-found',
        'conflict',
        'already-exists',
        'still-in-use',
      ],
    }),
    listWebhookEvents: route('GET', '/api/v1/webhook-events', {
      summary: 'List received events',
      description: 'Events are kept for 30 days.',
      extension: true,
      permission: 'webhooks:read',
      query: () => ({
        ...parameter.page(),
        integration_id: parameter.anyOf(
          field.reference('Integration'),
          'Only events that the integration with this id sent.',
        ),
        event_type: parameter.anyOf(eventType(), 'Only events of this type, such as `client.created`.', true),
      }),
      response: pageOf(eventSummary, 'A page of events, without their data.', summaryExample),
    }),
    getWebhookEvent: route('GET', '/api/v1/webhook-events/{id}', {
      summary: 'Read a received event',
      extension: true,
      permission: 'webhooks:read',
      params: () => ({
        id: field
          .reference('WebhookEvent')
          .describe('The event by the id that the list has, which is not its sender’s.'),
      }),
      response: ok(webhookEvent, 'The event.', example),
      errors: ['not-found'],
    }),
  },
});
