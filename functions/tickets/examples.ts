/** Examples of the OpenAPI document. */

export const ticketExample = {
  id: '84b6353b-046d-4b3f-9a51-6c0d2e4f8a17',
  ticket_code: 'T-000042',
  contact_id: '7d0f0c1e-52c1-4f0b-9f2b-0b6a7f3c9d21',
  // As long as the subjects of most tickets: each word is an entry that a creation pays for.
  subject: 'The card reader in hall two is offline',
  description: 'It shows no light since this morning.',
  status: 'open',
  priority: 'normal',
  source: 'email',
  client_id: '1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04',
  service_id: null,
  assigned_to: null,
  created_at: '2026-11-20T09:30:00.000Z',
  external_id: 'INC-2087',
  resource_id: null,
  terminal_id: '7df59570-303b-4c2e-8f6a-1d2b3c4e5f60',
  assigned_team: 'field-support',
  tags: ['hardware'],
  custom_fields: { shop: 12 },
  updated_at: '2026-11-20T09:30:00.000Z',
  last_activity_at: '2026-11-20T09:30:00.000Z',
  due_at: '2026-11-27T09:30:00.000Z',
  first_response_at: '2026-11-20T09:41:00.000Z',
  resolved_at: null,
  overdue: false,
  merged_into: null,
  merged_from: null,
};

export const messageExample = {
  id: 'babb9a7d-89a0-4b11-a7d0-3f9b8f1e6c52',
  ticket_id: ticketExample.id,
  author_type: 'agent',
  author_id: '2b9e6a54-3f0d-4a7e-8c41-d5f6a7b8c9d0',
  message: 'Please pull the plug, wait ten seconds and put it back.',
  is_internal: false,
  created_at: '2026-11-20T09:41:00.000Z',
  edited_at: null,
  removed_at: null,
};
