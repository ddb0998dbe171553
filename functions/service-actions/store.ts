import { entity, set } from '#table';
import { serviceAction } from './contract.ts';

export const serviceActionEntity = entity('SERVICE_ACTION', serviceAction, {
  indexes: [set('service_id'), set('status')],
  json: ['parameters'],
  journaled: {},
});
