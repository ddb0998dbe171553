import { contract, createOnly, crud, ok, type PermissionCode, type RecordOf, readOnly, record, route } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import { externalId, withExternalId } from '../clients/words.ts';

/** The permission that is needed, besides the route's, to read and set `credentials`. */
export const SERVICE_CREDENTIALS: PermissionCode = 'services:credentials';

/** The field of a service or a resource. */
export const underMaintenance = () =>
  readOnly(
    field
      .flag()
      .describe(
        'Extends the specification: whether its `status` is `maintenance`, or a maintenance window covers it when ' +
          'it is read.',
      ),
  );

export const service = record('Service', () => ({
  id: readOnly(field.uuid()),
  client_id: createOnly(field.reference('Client').describe('The company that it is run for, by its id.')),
  external_id: externalId(),
  name: field.name(200).describe('What people call the service.'),
  type: field.word().describe('What kind of service it is, such as `web` or `saas`. Or another word.'),
  description: field.text(5_000).nullable().default(null).describe('What the service does, for people.'),
  url: field.webAddress().nullable().default(null).describe('Where users reach the service, with http or https.'),
  admin_url: field
    .webAddress()
    .nullable()
    .default(null)
    .describe('Where its administrators sign in, with http or https.'),
  status: field
    .word()
    .default('active')
    .describe('`active`, or `maintenance` while it is being worked on. Or another word.'),
  plan: field.text(100).nullable().default('basic').describe('Which offer the client has chosen, in your own words.'),
  environment: field
    .word()
    .default('production')
    .describe('What it is run for: `production`, `staging` … Or another word.'),
  credentials: field.credentials(SERVICE_CREDENTIALS),
  deployment_config: field
    .freeForm('How the service is deployed, for the systems that do it.')
    .nullable()
    .default(null),
  metadata: field.metadata(),
  tags: field
    .tags()
    .nullable()
    .default(null)
    .describe(
      'Labels to group services by, each of up to 100 characters. `tag` finds it by its first 20 different ones.',
    ),
  health_status: field
    .word()
    .default('healthy')
    .describe(
      'How the service is doing: `healthy`, `degraded` … All but `healthy` is a risk to the client. Or another word.',
    ),
  last_health_check: field
    .timestamp()
    .nullable()
    .default(null)
    .describe('When it was last checked: as given, or else the time of the last change that names `health_status`.'),
  uptime_percentage: field
    .percentage()
    .nullable()
    .default(null)
    .describe('Share of time in which the service responded, in percent, as you measure it.'),
  monthly_cost: field
    .money()
    .default(0)
    .describe('What the service costs a month, in the currency that you account in.'),
  billing_cycle: field
    .word()
    .default('monthly')
    .describe('How often it is billed: `monthly`, `yearly` … Or another word.'),
  next_billing_date: field
    .dateOrTime()
    .nullable()
    .default(null)
    .describe('The day of the next bill: a date such as `2026-12-01`, or a time in ISO 8601, which comes back in UTC.'),
  version: field.text(100).nullable().default(null).describe('Which release of the software is running.'),
  deployed_at: field.timestamp().nullable().default(null).describe('When that release went live.'),
  created_at: readOnly(field.timestamp().nullable()),
  updated_at: readOnly(field.timestamp().nullable()),
  under_maintenance: underMaintenance(),
})).describe('Something that is run for a client, such as a shop or a mail server.');
export type Service = RecordOf<typeof service>;

export const serviceExample = {
  id: '0a2fa71e-c6f6-4b3d-a1c4-7e9f2d4b6a80',
  client_id: '1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04',
  external_id: 'contract-77',
  name: 'Web shop',
  type: 'web',
  description: 'The shop and its checkout.',
  url: 'https://shop.acme.example',
  admin_url: 'https://shop.acme.example/admin',
  status: 'active',
  plan: 'basic',
  environment: 'production',
  credentials: { user: 'deploy', password: 'correct horse battery staple' },
  deployment_config: { region: 'eu-west-1', replicas: 2 },
  metadata: { owner: 'team-web' },
  tags: ['shop', 'public'],
  health_status: 'healthy',
  last_health_check: '2026-11-20T09:30:00.000Z',
  uptime_percentage: 99.95,
  monthly_cost: 120.5,
  billing_cycle: 'monthly',
  next_billing_date: '2026-12-01',
  version: '4.2.0',
  deployed_at: '2026-11-01T08:00:00.000Z',
  created_at: '2026-11-01T08:00:00.000Z',
  updated_at: '2026-11-20T09:30:00.000Z',
  under_maintenance: false,
};

const usual = crud(service, { path: '/api/v1/services', one: 'a service', many: 'services', example: serviceExample });

/** The filters of the list and of what counts it. */
const filters = () => ({
  client_id: parameter.anyOf(field.reference('Client'), 'Only records of the client with this id.'),
  status: parameter.anyOf(field.word(), 'Only records with this status, such as `active`.'),
  health_status: parameter.anyOf(field.word(), 'Only records that are doing so, such as `degraded`.'),
  q: parameter.words('name', 'web sho'),
  external_id: withExternalId('service'),
  tag: parameter.allOf(field.name(100), 'Only services with this tag, one of their first 20.'),
});

export const services = contract({
  name: 'services',
  tag: 'Services',
  description: 'What is run for a client: a shop, a mail server, a database.',
  fieldPermissions: { credentials: SERVICE_CREDENTIALS },
  hiddenFromClients: ['admin_url', 'deployment_config', 'metadata'],
  recordType: service.name,
  routes: {
    listServices: usual.list({
      clientScope: true,
      extension: true,
      query: () => ({
        ...parameter.page(),
        ...filters(),
      }),
    }),
    summarizeServices: usual.summary(filters),
    createService: usual.create({
      clientScope: true,
      extension: true,
      bodyExample: {
        client_id: serviceExample.client_id,
        name: serviceExample.name,
        type: serviceExample.type,
        url: serviceExample.url,
      },
    }),
    upsertService: usual.upsert({
      bodyExample: { client_id: serviceExample.client_id, name: serviceExample.name, type: serviceExample.type },
    }),
    getService: usual.read({ clientScope: true }),
    listServiceChanges: usual.changes(),
    updateService: usual.update({
      clientScope: true,
      description:
        'A change that names `health_status` is a health check: it moves `last_health_check` to now, or to the ' +
        'time that it names.',
      bodyExample: { status: 'maintenance', health_status: 'degraded' },
    }),
    deleteService: usual.remove({
      description: 'Refused while resources belong to the service. Its tickets and actions keep its id, as history.',
      errors: ['not-found', 'still-in-use'],
    }),
    restoreService: usual.restore(),
    getServiceOfClient: route('GET', '/api/v1/services/client/{client_id}/{id}', {
      summary: 'Read a service of a client',
      permission: 'services:read',
      clientScope: true,
      params: () => ({
        ...usual.params(),
        client_id: field.reference('Client').describe('Id of the client that the service belongs to.'),
      }),
      response: ok(service, 'The service.', serviceExample),
      errors: ['not-found'],
    }),
  },
});
