import { reference, unique } from '../../shared/contract/constraints.ts';
import {
  anyJsonObject,
  count,
  email,
  flag,
  jsonObject,
  name,
  slug,
  text,
  timestamp,
  uuid,
  word,
} from '../../shared/contract/fields.ts';
import { cursorParameters, pageParameters } from '../../shared/contract/parameters.ts';
import { optionalOnCreate, type RecordOf, readOnly, record } from '../../shared/contract/record.ts';
import { contract, created, ok, pageOf, route, wholeListOf } from '../../shared/contract/route.ts';
import { timeZone } from './time-zone.ts';

export const client = record('Client', () => ({
  id: readOnly(uuid()),
  org_id: optionalOnCreate(uuid()),
  name: name(200),
  slug: unique(slug()).nullable().default(null),
  timezone: timeZone().default('Europe/Lisbon'),
  status: word().default('active'),
  metadata: jsonObject().nullable().default(null),
  created_at: readOnly(timestamp().nullable()),
  email: email().nullable().default(null),
  phone: count(999_999_999_999_999).nullable().default(null),
  plan: text(100).nullable().default(null),
  total_resources: readOnly(count().nullable()),
  services_count: readOnly(count()),
  last_contact: readOnly(timestamp().nullable()),
  has_risks: readOnly(flag()),
}));
export type Client = RecordOf<typeof client>;

export const clientAction = record('ClientAction', () => ({
  id: readOnly(uuid()),
  type: readOnly(word()),
  client_id: readOnly(reference('Client')),
  performed_by: readOnly(uuid()),
  performed_at: readOnly(timestamp()),
  details: readOnly(anyJsonObject()),
  result: readOnly(word()),
}));
export type ClientAction = RecordOf<typeof clientAction>;

const clientExample = {
  id: '1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04',
  org_id: '6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d',
  name: 'Acme Lda',
  slug: 'acme',
  timezone: 'Europe/Lisbon',
  status: 'active',
  metadata: { tier: 'gold' },
  created_at: '2026-11-20T09:30:00.000Z',
  email: 'ops@acme.example',
  phone: 351210000000,
  plan: 'premium',
  total_resources: 0,
  services_count: 0,
  last_contact: null,
  has_risks: false,
};

const actionExample = {
  id: 'babb9a7d-89a0-4b11-a7d0-3f9b8f1e6c52',
  type: 'updated',
  client_id: clientExample.id,
  performed_by: '87d6100d-2b60-4d21-b6a1-90c4ee1f7a35',
  performed_at: '2026-11-20T09:31:00.000Z',
  details: { changes: { status: { from: 'active', to: 'inactive' } } },
  result: 'success',
};

const params = () => ({ id: reference('Client') });

export const clients = contract({
  name: 'clients',
  tag: 'Clients',
  description: 'The companies that an organization looks after.',
  routes: {
    listClients: route('GET', '/api/v1/clients', {
      summary: 'List clients',
      permission: 'clients:read',
      query: () => ({ ...pageParameters(), status: word().optional() }),
      response: pageOf(client, 'A page of clients.', clientExample),
    }),
    createClient: route('POST', '/api/v1/clients', {
      event: { type: 'client.created' },
      summary: 'Create a client',
      permission: 'clients:write',
      body: client.create,
      bodyExample: {
        name: 'Acme Lda',
        slug: 'acme',
        email: 'ops@acme.example',
        phone: 351210000000,
        plan: 'premium',
        metadata: { tier: 'gold' },
      },
      response: created(client, 'The created client.', clientExample),
    }),
    getClient: route('GET', '/api/v1/clients/{id}', {
      summary: 'Read a client',
      permission: 'clients:read',
      params,
      response: ok(client, 'The client.', clientExample),
      errors: ['not-found'],
    }),
    updateClient: route('PATCH', '/api/v1/clients/{id}', {
      event: { type: 'client.updated' },
      summary: 'Change a client',
      permission: 'clients:write',
      params,
      body: client.patch,
      bodyExample: { status: 'inactive' },
      response: ok(client, 'The updated client.', { ...clientExample, status: 'inactive' }),
      errors: ['not-found'],
    }),
    listClientActions: route('GET', '/api/v1/clients/{id}/actions', {
      summary: 'List what was done to a client',
      description: 'Newest first.',
      permission: 'clients:read',
      params,
      query: cursorParameters,
      response: wholeListOf(clientAction, 'The actions of the client.', actionExample),
      errors: ['not-found'],
    }),
  },
});
