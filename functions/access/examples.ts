/** Examples of the OpenAPI document. */

const ORGANIZATION = '6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d';

export const roleExample = {
  id: '029eb7db-8f29-4f4e-a1b2-7c8d9e0f1a2b',
  org_id: ORGANIZATION,
  code: 'support',
  label: 'Support',
  description: 'Answers tickets',
  is_system: false,
  permissions: ['tickets:read', 'tickets:write'],
  created_at: '2026-11-20T09:30:00.000Z',
};

export const permissionExample = {
  id: '36f80d5e-1441-56cb-b5f9-b1b7964d034f',
  code: 'clients:read',
  description: 'Read clients',
};

export const identityExample = {
  id: '7be1d0c4-58a2-4f97-a3d6-0c9e2b4f6a81',
  user_id: '1a1d416e-34c7-4d5e-8f60-112233445566',
  provider_id: '4d1f7c52-90ab-4e36-8f0d-7b2c5e9a1d38',
  subject: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
  linked_by: 'administrator',
  email: null,
  known_with: ['memberships:write', 'tickets:write', 'users:write'],
  created_at: '2026-11-20T09:30:00.000Z',
};

export const membershipExample = {
  id: '119844a2-eebc-4a2b-9c3d-4e5f60718293',
  user_id: '1a1d416e-34c7-4d5e-8f60-112233445566',
  org_id: ORGANIZATION,
  client_id: null,
  role_id: roleExample.id,
  status: 'active',
  metadata: { desk: 'B7' },
  created_at: '2026-11-20T09:30:00.000Z',
};
