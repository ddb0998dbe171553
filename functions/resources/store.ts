import { encryptedCredentials } from '#auth';
import { noSuchRecord } from '#http';
import { type Entity, entity, exact, flag, set, storedAs, type Tenant, words } from '#table';
import { clientEntity } from '../clients/store.ts';
import { serviceEntity } from '../services/store.ts';
import { historyEntry, RESOURCE_CREDENTIALS, type Resource, resource } from './contract.ts';
import { isOverThreshold, isResourceRisk } from './risk.ts';

/** A resource as stored. */
export interface StoredResource extends Omit<Resource, 'credentials' | 'under_maintenance'> {
  readonly credentials: string | null;
  /** A flag (`#table`): set by the repository. */
  readonly over_threshold?: true | null;
}

export const resourceEntity = entity('RESOURCE', storedAs<StoredResource>(resource), {
  indexes: [
    set('client_id'),
    set('service_id'),
    set('status'),
    set('health_status'),
    set('tags'),
    flag('over_threshold', isOverThreshold),
    words(['name', 'external_id', 'ip_address']),
    exact('external_id'),
  ],
  counted: {
    client_id: {
      by: clientEntity,
      counts: { total_resources: 'all', risks: isResourceRisk },
      onMissing: noSuchRecord('client_id'),
    },
    // The same error for a missing service, another client's and another tenant's.
    service_id: {
      by: serviceEntity,
      counts: { resource_count: 'all' },
      equals: ({ client_id }) => ({ client_id }),
      onMissing: noSuchRecord('service_id', "names no service of the resource's client"),
    },
  },
  json: ['specifications', 'limits', 'metadata'],
  encrypted: ['credentials'],
  ofClient: 'client_id',
  audited: resource.name,
  auditedFields: ['credentials'],
  restorable: { title: 'name', below: (): Entity[] => [historyEntity] },
  journaled: {
    history: true,
    quiet: ['cpu_usage', 'memory_usage', 'storage_usage', 'last_health_check', 'updated_at'],
    isLoud: (before, after) => isOverThreshold(before) !== isOverThreshold(after),
  },
});

export const resourceCredentials = encryptedCredentials('resource', RESOURCE_CREDENTIALS);

export const historyEntity = entity('HISTORY', historyEntry, { numbered: true, parent: resourceEntity });

/** The metrics samples of a resource. */
export const historyOf = (tenant: Tenant, resourceId: string) => tenant.below(historyEntity, resourceId);
