import { sealedCredentials, type WithSealedCredentials } from '../../shared/auth/sealed-credentials.ts';
import { entity } from '../../shared/table/entity.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import { CREDENTIALS, type HistoryEntry, type Resource } from './contract.ts';

export type StoredResource = WithSealedCredentials<Resource>;

export const resourceEntity = entity<StoredResource>('RESOURCE', {
  filters: ['client_id', 'service_id', 'status', 'health_status'],
  json: ['specifications', 'limits', 'metadata'],
  sealed: ['credentials'],
});

export const resourceCredentials = sealedCredentials('resource', CREDENTIALS);

export const historyEntity = entity<HistoryEntry>('HISTORY', { numbered: true });

/** The metrics samples of a resource. */
export const historyOf = (tenant: Tenant, resourceId: string) =>
  tenant.below(resourceEntity, resourceId, historyEntity);
