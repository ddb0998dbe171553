import { reference } from '../../shared/contract/constraints.ts';
import { credentials } from '../../shared/contract/credentials.ts';
import {
  count,
  flag,
  jsonObject,
  money,
  name,
  percentage,
  tags,
  text,
  timestamp,
  uuid,
  word,
} from '../../shared/contract/fields.ts';
import { pageParameters } from '../../shared/contract/parameters.ts';
import { createOnly, optionalOnCreate, type RecordOf, readOnly, record } from '../../shared/contract/record.ts';
import { contract, created, noContent, ok, type PermissionCode, pageOf, route } from '../../shared/contract/route.ts';
import { ipAddress } from './ip-address.ts';

/** The permission that is needed, besides the route's, to read and set `credentials`. */
export const CREDENTIALS: PermissionCode = 'resources:credentials';

export const resource = record('Resource', () => ({
  id: readOnly(uuid()),
  client_id: createOnly(reference('Client')),
  service_id: reference('Service').nullable().default(null),
  name: name(200),
  type: word(),
  description: text(5_000).nullable().default(null),
  provider: word().default('local'),
  external_id: text(500).nullable().default(null),
  location: text(500).nullable().default(null),
  ip_address: ipAddress().nullable().default(null),
  status: word().default('active'),
  specifications: jsonObject().nullable().default(null),
  credentials: credentials(CREDENTIALS),
  limits: jsonObject().nullable().default(null),
  metadata: jsonObject().nullable().default(null),
  tags: tags().nullable().default(null),
  health_status: word().default('healthy'),
  last_health_check: timestamp().nullable().default(null),
  cpu_usage: percentage().nullable().default(null),
  memory_usage: percentage().nullable().default(null),
  storage_usage: percentage().nullable().default(null),
  usage_alerts_enabled: flag().default(true),
  alert_threshold: percentage().default(80),
  monthly_cost: money().default(0),
  billing_cycle: word().default('monthly'),
  provisioned_at: timestamp().nullable().default(null),
  created_at: readOnly(timestamp().nullable()),
  updated_at: readOnly(timestamp().nullable()),
}));
export type Resource = RecordOf<typeof resource>;

export const historyEntry = record('ResourceHistoryEntry', () => ({
  id: readOnly(count()),
  resource_id: readOnly(reference('Resource')),
  timestamp: optionalOnCreate(timestamp()),
  cpu_usage: percentage(),
  memory_usage: percentage(),
  storage_usage: percentage(),
  health_status: optionalOnCreate(word()),
}));
export type HistoryEntry = RecordOf<typeof historyEntry>;

const example = {
  id: 'cff00498-8c93-4e21-b7f4-2a5c9d3e7f10',
  client_id: '1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04',
  service_id: '0a2fa71e-c6f6-4b3d-a1c4-7e9f2d4b6a80',
  name: 'Web server 1',
  type: 'vm',
  description: null,
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

const params = () => ({ id: reference('Resource') });

export const resources = contract({
  name: 'resources',
  tag: 'Resources',
  description: 'What services run on, such as machines and volumes, and how they are doing.',
  fieldPermissions: { credentials: CREDENTIALS },
  routes: {
    listResources: route('GET', '/api/v1/resources', {
      summary: 'List resources',
      permission: 'resources:read',
      completion: true,
      query: () => ({
        ...pageParameters(),
        client_id: reference('Client').optional(),
        service_id: reference('Service').optional(),
        status: word().optional(),
        health_status: word().optional(),
      }),
      response: pageOf(resource, 'A page of resources.', example),
    }),
    createResource: route('POST', '/api/v1/resources', {
      event: { type: 'resource.created' },
      summary: 'Create a resource',
      permission: 'resources:write',
      completion: true,
      body: resource.create,
      bodyExample: {
        client_id: example.client_id,
        service_id: example.service_id,
        name: example.name,
        type: example.type,
        ip_address: example.ip_address,
      },
      response: created(resource, 'The created resource.', example),
    }),
    getResource: route('GET', '/api/v1/resources/{id}', {
      summary: 'Read a resource',
      permission: 'resources:read',
      params,
      response: ok(resource, 'The resource.', example),
      errors: ['not-found'],
    }),
    updateResource: route('PATCH', '/api/v1/resources/{id}', {
      event: { type: 'resource.updated' },
      summary: 'Change a resource',
      description:
        'A change that names usage or `health_status` is a report: it moves `last_health_check` and leaves a sample in the history. A usage that nobody has reported yet is 0 in the sample.',
      permission: 'resources:write',
      params,
      body: resource.patch,
      bodyExample: { status: 'maintenance', health_status: 'degraded' },
      response: ok(resource, 'The updated resource.', { ...example, status: 'maintenance', health_status: 'degraded' }),
      errors: ['not-found'],
    }),
    deleteResource: route('DELETE', '/api/v1/resources/{id}', {
      event: { type: 'resource.deleted' },
      summary: 'Delete a resource',
      description: 'Its history goes with it. Its tickets keep its id, as history.',
      permission: 'resources:write',
      params,
      response: noContent('The resource is deleted.'),
      errors: ['not-found'],
    }),
    listResourceHistory: route('GET', '/api/v1/resources/{id}/history', {
      summary: 'List the history of a resource',
      description: 'In the order in which the samples arrived, newest first.',
      permission: 'resources:read',
      params,
      query: pageParameters,
      response: pageOf(historyEntry, 'A page of metrics samples.', historyExample),
      errors: ['not-found'],
    }),
    createResourceHistoryEntry: route('POST', '/api/v1/resources/{id}/history', {
      event: { type: 'resource.metrics_reported', idField: 'resource_id' },
      summary: 'Report metrics of a resource',
      description:
        'The resource takes over usage and health, unless it already knows of a later check. Without `timestamp` the sample is of now.',
      permission: 'resources:write',
      completion: true,
      params,
      body: historyEntry.create,
      bodyExample: { cpu_usage: 42.5, memory_usage: 61, storage_usage: 30 },
      response: created(historyEntry, 'The stored sample.', historyExample),
      errors: ['not-found'],
    }),
  },
});
