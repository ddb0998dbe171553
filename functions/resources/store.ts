import { encryptedCredentials, type WithEncryptedCredentials } from '../../shared/auth/encrypted-credentials.ts';
import { entity } from '../../shared/table/repository/entity.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import { CREDENTIALS, type HistoryEntry, type Resource } from './contract.ts';

export type StoredResource = WithEncryptedCredentials<Resource>;

export const resourceEntity = entity<StoredResource>('RESOURCE', {
  filters: ['client_id', 'service_id', 'status', 'health_status'],
  json: ['specifications', 'limits', 'metadata'],
  encrypted: ['credentials'],
});

export const resourceCredentials = encryptedCredentials('resource', CREDENTIALS);

export const historyEntity = entity<HistoryEntry>('HISTORY', { numbered: true });

/** The metrics samples of a resource. */
export const historyOf = (tenant: Tenant, resourceId: string) =>
  tenant.below(resourceEntity, resourceId, historyEntity);
