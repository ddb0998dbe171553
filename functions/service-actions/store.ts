import { entity } from '#table';
import { serviceAction } from './contract.ts';

export const serviceActionEntity = entity('SERVICE_ACTION', serviceAction, {
  filters: ['service_id', 'status'],
  json: ['parameters'],
  journaled: {},
});
