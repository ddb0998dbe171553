/** The examples of the contract. */

export const endpointExample = {
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
export const UNVERIFIED = { status: 'unverified', status_reason: 'ping_pending', last_success_at: null };

export const CHALLENGE = 'Hf3mQ0sYt7LrXe9KpJwZ1hNfUc5GdAi8oT2yRkB6xSE';

export const attemptExample = {
  id: '5e1c7a90-3d42-4b8f-a6c1-2f9d8e7b6a54',
  attempted_at: '2026-11-20T09:40:07.000Z',
  status_code: 503,
  error: null,
  events: 1,
  first_event_id: '0d9f8e7c-6b5a-4c3d-8e2f-1a0b9c8d7e6f',
  duration_ms: 412,
  skipped: false,
};

export const MOVED_TO = 'https://hooks.acme.example/v2/custodia';

export const SECRETS = {
  first: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDAAAAAAAAAAA=',
  second: 'whsec_nT0nXJqzOZbQ3f0rWc8mYb1uHk5dLs7pAAAAAAAAAAA=',
} as const;

export const PREVIOUS_EXPIRES = '2026-11-21T09:30:00.000Z';

export const pingExample = {
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
