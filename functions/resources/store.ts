import { encryptedCredentials } from '#auth';
import { entity, storedAs, type Tenant } from '#table';
import { historyEntry, RESOURCE_CREDENTIALS, type Resource, resource } from './contract.ts';

/** A resource as stored. */
export type StoredResource = Omit<Resource, 'credentials'> & { readonly credentials: string | null };

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
