import {
  contract,
  created,
  createOnly,
  crud,
  ok,
  optionalOnCreate,
  type PermissionCode,
  pageOf,
  type RecordOf,
  readOnly,
  record,
  route,
} from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import { moving } from '../clients/moving.ts';
import { SERVICE_CREDENTIALS, service, serviceExample, underMaintenance } from '../services/contract.ts';
import { ipAddress } from './ip-address.ts';
import { MOST_MOVED } from './limits.ts';

/** The permission that is needed, besides the route's, to read and set `credentials`. */
export const RESOURCE_CREDENTIALS: PermissionCode = 'resources:credentials';

export const resource = record('Resource', () => ({
  id: readOnly(field.uuid()),
  client_id: createOnly(field.reference('Client').describe('The company that it is looked after for, by its id.')),
  service_id: field
    .reference('Service')
    .nullable()
    .default(null)
    .describe('The service that runs on it; null for none.'),
  name: field.name(200).describe('What people call the resource.'),
  type: field.word().describe('What kind of resource it is, such as `server`, `vm` or `volume`. Or another word.'),
  description: field.text(5_000).nullable().default(null).describe('What the resource is for, for people.'),
  provider: field
    .word()
    .default('local')
    .describe('Who runs it: `local` for your own machines, `aws` … Or another word.'),
  external_id: field.identifier(500).nullable().default(null).describe('How its provider names it.'),
  location: field.text(500).nullable().default(null).describe('Where it stands: a room, a data center, a region.'),
  ip_address: ipAddress()
    .nullable()
    .default(null)
    .describe('Its IPv4 or IPv6 address, without prefix length or zone. `q` finds it in any spelling.'),
  status: field
    .word()
    .default('active')
    .describe('`active`, or `maintenance` while it is being worked on. Or another word.'),
  specifications: field.freeForm('What it is made of: cores, memory, disks.').nullable().default(null),
  credentials: field.credentials(RESOURCE_CREDENTIALS),
  limits: field.freeForm('What it may use at most: connections, disk space.').nullable().default(null),
  metadata: field.metadata(),
  tags: field
    .tags()
    .nullable()
    .default(null)
    .describe(
      'Labels to group resources by, each of up to 100 characters. `tag` finds it by its first 20 different ones.',
    ),
  health_status: field
    .word()
    .default('healthy')
    .describe(
      'How the resource is doing, as reported: `healthy`, `degraded` … All but `healthy` is a risk to the client. ' +
        'Usage above `alert_threshold` is one too, and does not change it. Or another word.',
    ),
  last_health_check: field
    .timestamp()
    .nullable()
    .default(null)
    .describe('When it was last checked: as given, or else the time of the last report of health or usage.'),
  cpu_usage: field
    .percentage()
    .nullable()
    .default(null)
    .describe('Processor time in use, in percent, as last reported.'),
  memory_usage: field.percentage().nullable().default(null).describe('Memory in use, in percent, as last reported.'),
  storage_usage: field
    .percentage()
    .nullable()
    .default(null)
    .describe('Disk space in use, in percent, as last reported.'),
  usage_alerts_enabled: field
    .flag()
    .default(true)
    .describe('Whether usage above `alert_threshold` makes the resource a risk to its client.'),
  alert_threshold: field
    .percentage()
    .default(80)
    .describe(
      'Usage in percent above which the resource is a risk to its client. `over_threshold` lists such resources.',
    ),
  monthly_cost: field
    .money()
    .default(0)
    .describe('What the resource costs a month, in the currency that you account in.'),
  billing_cycle: field
    .word()
    .default('monthly')
    .describe('How often it is billed: `monthly`, `yearly` … Or another word.'),
  provisioned_at: field.timestamp().nullable().default(null).describe('When the resource was set up.'),
  created_at: readOnly(field.timestamp().nullable()),
  updated_at: readOnly(field.timestamp().nullable()),
  under_maintenance: underMaintenance(),
})).describe('What services run on, such as a machine or a volume, and how it is doing.');
export type Resource = RecordOf<typeof resource>;

export const historyEntry = record('ResourceHistoryEntry', () => ({
  id: readOnly(field.count().describe('Number of the sample among those of the resource, counted from 1.')),
  resource_id: readOnly(field.reference('Resource').describe('The resource that was measured.')),
  timestamp: optionalOnCreate(
    field
      .timestamp()
      .describe('When it was measured; at most five minutes ahead of the service’s clock. Now unless given.'),
  ),
  cpu_usage: field.percentage().describe('Processor time in use, in percent.'),
  memory_usage: field.percentage().describe('Memory in use, in percent.'),
  storage_usage: field.percentage().describe('Disk space in use, in percent.'),
  health_status: optionalOnCreate(
    field
      .word()
      .describe(
        'How the resource was doing: `healthy`, `degraded` … What the resource has unless given. Or another word.',
      ),
  ),
})).describe('A sample of the usage and health of a resource.');
export type HistoryEntry = RecordOf<typeof historyEntry>;

const example = {
  id: 'cff00498-8c93-4e21-b7f4-2a5c9d3e7f10',
  client_id: '1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04',
  service_id: '0a2fa71e-c6f6-4b3d-a1c4-7e9f2d4b6a80',
  name: 'Web server 1',
  type: 'vm',
  description: 'Runs the shop.',
  provider: 'local',
  external_id: 'i-0a1b2c3d',
  location: 'Lisbon',
  ip_address: '192.0.2.10',
  status: 'active',
  specifications: { cores: 4, memory_gb: 16 },
  credentials: { user: 'root', key: 'ssh-ed25519 AAAA' },
  limits: { connections: 500 },
  metadata: { rack: 'B7' },
  tags: ['web'],
  health_status: 'healthy',
  last_health_check: '2026-11-20T09:30:00.000Z',
  cpu_usage: 42.5,
  memory_usage: 61,
  storage_usage: 30,
  usage_alerts_enabled: true,
  alert_threshold: 80,
  monthly_cost: 45,
  billing_cycle: 'monthly',
  provisioned_at: '2026-11-01T08:00:00.000Z',
  created_at: '2026-11-01T08:00:00.000Z',
  updated_at: '2026-11-20T09:30:00.000Z',
  under_maintenance: false,
};

const historyExample = {
  id: 1,
  resource_id: example.id,
  timestamp: '2026-11-20T09:30:00.000Z',
  cpu_usage: 42.5,
  memory_usage: 61,
  storage_usage: 30,
  health_status: 'healthy',
};

const usual = crud(resource, { path: '/api/v1/resources', one: 'a resource', many: 'resources', example });

export const resources = contract({
  name: 'resources',
  tag: 'Resources',
  description: 'What services run on, such as machines and volumes, and how they are doing.',
  fieldPermissions: { credentials: RESOURCE_CREDENTIALS },
  hiddenFromClients: ['metadata'],
  recordType: resource.name,
  routes: {
    listResources: usual.list({
      clientScope: true,
      extension: true,
      query: () => ({
        ...parameter.page(),
        client_id: parameter.anyOf(field.reference('Client'), 'Only records of the client with this id.'),
        service_id: parameter.anyOf(field.reference('Service'), 'Only records of the service with this id.'),
        status: parameter.anyOf(field.word(), 'Only records with this status, such as `active`.'),
        health_status: parameter.anyOf(field.word(), 'Only records that are doing so, such as `degraded`.'),
        over_threshold: parameter
          .flag()
          .optional()
          .describe(
            'Only resources with a usage above `alert_threshold` and `usage_alerts_enabled`, or (`false`) only the ' +
              'others.',
          ),
        q: parameter.words('name, the external id or the IP address, in whatever spelling', '10.0.0'),
        external_id: field.identifier(500).optional().describe('Only resources with exactly this `external_id`.'),
        tag: parameter.allOf(field.name(100), 'Only resources with this tag, one of their first 20.'),
      }),
    }),
    createResource: usual.create({
      clientScope: true,
      extension: true,
      bodyExample: {
        client_id: example.client_id,
        service_id: example.service_id,
        name: example.name,
        type: example.type,
        ip_address: example.ip_address,
      },
    }),
    upsertResource: usual.upsert({
      description:
        'An existing resource gets the fields that are sent, and keeps the others. With `If-Match` nothing is ' +
        'created, with `If-None-Match: *` nothing changed. If several resources have the `external_id`, it is a ' +
        '409.',
      bodyExample: { client_id: example.client_id, name: example.name, type: example.type },
      errors: ['conflict', 'list-being-built', 'already-exists'],
    }),
    getResource: usual.read({ clientScope: true }),
    listResourceChanges: usual.changes(),
    moveResource: route('POST', '/api/v1/resources/{id}/move', {
      ...moving,
      summary: 'Move a resource to another client',
      description: 'Refused while it has a service: that is moved with all its resources.',
      permission: 'resources:write',
      params: usual.params,
      response: ok(resource, 'The resource after the move.', example),
    }),
    moveService: route('POST', '/api/v1/services/{id}/move', {
      ...moving,
      summary: 'Move a service with its resources to another client',
      description:
        `With ${MOST_MOVED} resources at most; with any it needs \`resources:write\`, too. Its tickets and actions ` +
        'stay as they are.',
      permission: 'services:write',
      params: () => ({ id: field.reference('Service') }),
      response: ok(service, 'The service after the move.', serviceExample),
      returns: { recordType: service.name, fieldPermissions: { credentials: SERVICE_CREDENTIALS } },
    }),
    updateResource: usual.update({
      clientScope: true,
      description:
        'A change that names usage or `health_status` is a report: it moves `last_health_check` and leaves a ' +
        'sample in the history. A usage that nobody has reported yet is 0 in the sample.',
      bodyExample: { status: 'maintenance', health_status: 'degraded' },
    }),
    deleteResource: usual.remove({
      description: 'Its history goes with it. Its tickets keep its id, as history.',
    }),
    restoreResource: usual.restore(),
    listResourceHistory: route('GET', '/api/v1/resources/{id}/history', {
      summary: 'List the history of a resource',
      description: 'In the order in which the samples arrived, newest first.',
      permission: 'resources:read',
      params: usual.params,
      query: parameter.page,
      response: pageOf(historyEntry, 'A page of metrics samples.', historyExample),
      errors: ['not-found'],
    }),
    createResourceHistoryEntry: route('POST', '/api/v1/resources/{id}/history', {
      event: { type: 'resource.metrics_reported', idField: 'resource_id' },
      summary: 'Report metrics of a resource',
      description:
        'The resource takes over usage and health, unless it already knows of a later check. Without `timestamp` ' +
        'the sample is of now.',
      permission: 'resources:write',
      extension: true,
      params: usual.params,
      body: historyEntry.create,
      bodyExample: { cpu_usage: 42.5, memory_usage: 61, storage_usage: 30 },
      response: created(historyEntry, 'The stored sample.', historyExample),
      errors: ['not-found'],
    }),
  },
});
