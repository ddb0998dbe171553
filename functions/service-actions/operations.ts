import { noSuchRecord, type Operations, pagesOf, respond } from '#http';
import { serviceEntity } from '../services/store.ts';
import type { serviceActions } from './contract.ts';
import { serviceActionEntity } from './store.ts';

export const serviceActionOperations: Operations<typeof serviceActions> = {
  listServiceActions: pagesOf(serviceActionEntity),

  createServiceAction: async ({ body, tenant }) => {
    tenant.records(serviceEntity).require(body.service_id, noSuchRecord('service_id'));
    const created_at = tenant.session.timestamp;
    return respond.record(await tenant.records(serviceActionEntity).create({ fields: { ...body, created_at } }));
  },

  getServiceAction: async ({ params, tenant, getOrThrow }) =>
    respond.record(await getOrThrow(tenant.records(serviceActionEntity), params.id)),
};
