import { entity } from '../../shared/table/repository/entity.ts';
import type { ServiceAction } from './contract.ts';

export const serviceActionEntity = entity<ServiceAction>('SERVICE_ACTION', {
  filters: ['service_id', 'status'],
  json: ['parameters'],
});
