import {
  contract,
  created,
  crud,
  ok,
  optionalOnCreate,
  type RecordOf,
  readOnly,
  record,
  route,
  unique,
  wholeListOf,
} from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import { clientSummary, summaryExample } from './summary-record.ts';
import { timeZone } from './time-zone.ts';
import { externalId, withExternalId } from './words.ts';

export const client = record('Client', () => ({
  id: readOnly(field.uuid()),
  org_id: optionalOnCreate(
    field
      .uuid()
      .describe('The organization that the record belongs to; the caller’s own unless a platform caller names one.'),
  ),
  name: field.name(200).describe('What people call the company.'),
  slug: unique(field.slug())
    .nullable()
    .default(null)
    .describe('Short name for web addresses; no two clients of an organization have the same.'),
  external_id: externalId(),
  timezone: timeZone()
    .default('Europe/Lisbon')
    .describe('The zone that the client lives in, as an IANA time zone identifier.'),
  status: field
    .word()
    .default('active')
    .describe('`active` or `inactive`: whether the company is looked after at present. Or another word.'),
  metadata: field.metadata(),
  created_at: readOnly(field.timestamp().nullable()),
  email: field.email().nullable().default(null).describe('Where mail to the company goes.'),
  phone: field.phoneNumber().nullable().default(null).describe('Telephone number as digits only, country code first.'),
  plan: field.text(100).nullable().default(null).describe('What the company has subscribed to, in your own words.'),
  total_resources: readOnly(
    field.count().nullable().describe('How many resources the client has now; counted by the service.'),
  ),
  services_count: readOnly(field.count().describe('How many services the client has now; counted by the service.')),
  last_contact: readOnly(
    field
      .timestamp()
      .nullable()
      .describe(
        'Time of the newest ticket of the client, or of the newest message in one. It may lag some seconds behind; ' +
          'null before the first.',
      ),
  ),
  has_risks: readOnly(
    field
      .flag()
      .describe(
        'Whether any service or resource of the client is not `healthy`, or any resource with ' +
          '`usage_alerts_enabled` has a usage above its `alert_threshold`.',
      ),
  ),
})).describe('A company that an organization looks after.');
export type Client = RecordOf<typeof client>;

export const clientAction = record('ClientAction', () => ({
  id: readOnly(field.uuid()),
  type: readOnly(field.word().describe('What was done: `created` or `updated`.')),
  client_id: readOnly(field.reference('Client').describe('The client that it was done to.')),
  performed_by: readOnly(field.uuid().describe('Id of the integration or user that did it.')),
  performed_at: readOnly(field.timestamp().describe('When it was done, by the clock of the service.')),
  details: readOnly(
    field
      .anyJsonObject()
      .describe(
        'A creation has the given `fields`, a change its `changes`, each with the value before ' +
          '(`from`) and after (`to`). Long values are cut.',
      ),
  ),
  result: readOnly(field.word().describe('How it ended: `success`.')),
})).describe('What was done to a client, and by which integration.');
export type ClientAction = RecordOf<typeof clientAction>;

const clientExample = {
  id: '1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04',
  org_id: '6f1c1f0e-6f0a-4d0c-9d58-0c6c8a1b2f3d',
  name: 'Acme Lda',
  slug: 'acme',
  external_id: 'crm-1042',
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

const usual = crud(client, { path: '/api/v1/clients', one: 'a client', many: 'clients', example: clientExample });

export const clients = contract({
  name: 'clients',
  tag: 'Clients',
  description: 'The companies that an organization looks after.',
  hiddenFromClients: ['metadata'],
  routes: {
    listClients: usual.list({
      clientScope: true,
      query: () => ({
        ...parameter.page(),
        status: parameter.anyOf(field.word(), 'Only records with this status, such as `active`.'),
        has_risks: parameter
          .flag()
          .optional()
          .describe('Only clients with a risk (`has_risks`), or (`false`) only the others.'),
        slug: unique(field.slug()).optional().describe('Only the client with exactly this slug.'),
        external_id: withExternalId('client'),
        q: parameter.words('name or the mail address, or the slug', 'acme lis'),
      }),
    }),
    createClient: usual.create({
      bodyExample: {
        name: 'Acme Lda',
        slug: 'acme',
        email: 'ops@acme.example',
        phone: 351210000000,
        plan: 'premium',
        metadata: { tier: 'gold' },
      },
    }),
    upsertClient: route('PUT', '/api/v1/clients', {
      summary: 'Create a client, or change the one with this slug or external id',
      description:
        'The query has one of them. An existing client gets the fields that are sent, and keeps the others. With ' +
        '`If-Match` nothing is created, with `If-None-Match: *` nothing changed.',
      permission: 'clients:write',
      extension: true,
      query: () => ({
        slug: field.slug().optional().describe('Which client to change; a new one gets this slug.'),
        external_id: field
          .identifier(500, 1)
          .optional()
          .describe('Which client to change; a new one gets this `external_id`.'),
      }),
      body: client.upsert,
      bodyExample: { name: 'Acme Lda', plan: 'premium' },
      upsert: { by: 'slug', patch: client.patch, changed: 'The changed client, or the client as it was.' },
      response: created(client, 'The created client.', clientExample),
    }),
    getClient: usual.read({ clientScope: true }),
    listClientChanges: usual.changes(),
    updateClient: usual.update({
      clientScope: true,
      bodyExample: { status: 'inactive' },
    }),
    summarizeClient: route('GET', '/api/v1/clients/{id}/summary', {
      summary: 'Sum up what a client has',
      description:
        'Services, resources, terminals and tickets by status, those that are unhealthy, and what they cost a month. ' +
        'At any size for tickets; of each other kind what 500 read units read.',
      permission: 'clients:read',
      extension: true,
      params: usual.params,
      response: ok(clientSummary, 'What the client has, in numbers.', summaryExample),
      errors: ['not-found', 'too-many-matches'],
    }),
    listClientActions: route('GET', '/api/v1/clients/{id}/actions', {
      summary: 'List what was done to a client',
      description: 'Newest first.',
      permission: 'clients:read',
      params: usual.params,
      query: parameter.cursor,
      response: wholeListOf(clientAction, 'The actions of the client.', actionExample),
      errors: ['not-found'],
    }),
  },
});
