import { encryptedCredentials } from '#auth';
import { noSuchRecord } from '#http';
import { claimed, entity, set, storedAs, type Tenant, words } from '#table';
import { clientEntity } from '../clients/store.ts';
import { SERVICE_CREDENTIALS, type Service, service } from './contract.ts';
import { isServiceRisk } from './health.ts';

/** A service as stored: its resources are counted, so that it cannot be deleted while it has any. */
export interface StoredService extends Omit<Service, 'credentials' | 'under_maintenance'> {
  readonly credentials: string | null;
  readonly resource_count: number;
}

export const serviceEntity = entity('SERVICE', storedAs<StoredService>(service), {
  indexes: [
    set('client_id'),
    set('status'),
    set('health_status'),
    set('tags'),
    words(['name']),
    claimed('external_id'),
  ],
  counted: {
    client_id: {
      by: clientEntity,
      counts: { services_count: 'all', risks: isServiceRisk },
      onMissing: noSuchRecord('client_id'),
    },
  },
  json: ['deployment_config', 'metadata'],
  encrypted: ['credentials'],
  ofClient: 'client_id',
  audited: service.name,
  auditedFields: ['credentials'],
  restorable: { title: 'name' },
  journaled: { history: true, quiet: ['last_health_check', 'updated_at'] },
});

export const serviceCredentials = encryptedCredentials('service', SERVICE_CREDENTIALS);

const resources = entity<{ readonly id: string; readonly service_id: string | null }>('RESOURCE');

/** The list of resources, as far as the deletion of a service needs it: their own domain knows services. */
export const resourcesOf = (tenant: Tenant) => tenant.records(resources);
