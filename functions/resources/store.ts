import { entity } from '../../shared/table/entity.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import type { HistoryEntry, Resource } from './contract.ts';

/** Filtered by a client or a service, never both: a service's resources are all its client's. */
export const resourceEntity = entity<Resource>('RESOURCE', {
  filters: [
    ['client_id'],
    ['service_id'],
    ['status'],
    ['health_status'],
    ['client_id', 'status'],
    ['client_id', 'health_status'],
    ['service_id', 'status'],
    ['service_id', 'health_status'],
    ['status', 'health_status'],
    ['client_id', 'status', 'health_status'],
    ['service_id', 'status', 'health_status'],
  ],
  json: ['specifications', 'credentials', 'limits', 'metadata'],
});

const historyEntity = entity<HistoryEntry>('HISTORY', { numericId: true });

/** The metrics samples of a resource. */
export const historyOf = (tenant: Tenant, resourceId: string) =>
  tenant.below(resourceEntity, resourceId, historyEntity);
