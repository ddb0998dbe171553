import { encryptedCredentials, type WithEncryptedCredentials } from '../../shared/auth/encrypted-credentials.ts';
import { entity, storedAs } from '../../shared/table/repository/entity.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import { historyEntry, RESOURCE_CREDENTIALS, type Resource, resource } from './contract.ts';

export type StoredResource = WithEncryptedCredentials<Resource>;

export const resourceEntity = entity('RESOURCE', storedAs<StoredResource>(resource), {
  filters: ['client_id', 'service_id', 'status', 'health_status'],
  json: ['specifications', 'limits', 'metadata'],
  encrypted: ['credentials'],
  audited: resource.name,
  auditedFields: ['credentials'],
});

export const resourceCredentials = encryptedCredentials('resource', RESOURCE_CREDENTIALS);

export const historyEntity = entity('HISTORY', historyEntry, { numbered: true, parent: resourceEntity });

/** The metrics samples of a resource. */
export const historyOf = (tenant: Tenant, resourceId: string) => tenant.below(historyEntity, resourceId);
