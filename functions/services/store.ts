import { sealedCredentials, type WithSealedCredentials } from '../../shared/auth/sealed-credentials.ts';
import { entity } from '../../shared/table/entity.ts';
import { CREDENTIALS, type Service } from './contract.ts';

/** A service as stored: its resources are counted, so that it cannot go while there are any. */
export interface StoredService extends WithSealedCredentials<Service> {
  readonly resource_count: number;
}

export const serviceEntity = entity<StoredService>('SERVICE', {
  filters: ['client_id', 'status', 'health_status'],
  json: ['deployment_config', 'metadata'],
  sealed: ['credentials'],
});

export const serviceCredentials = sealedCredentials('service', CREDENTIALS);
