import { answerPage, answerRecord, type Operations } from '../../shared/http/operation.ts';
import { noSuchRecord } from '../../shared/http/references.ts';
import { serviceEntity } from '../services/store.ts';
import type { serviceActions } from './contract.ts';
import { serviceActionEntity } from './store.ts';

export const serviceActionOperations: Operations<typeof serviceActions> = {
  listServiceActions: async ({ query, tenant }) => {
    const { service_id, status } = query;
    return answerPage(
      await tenant.records(serviceActionEntity).page({ ...query, filter: { service_id, status } }),
      query,
    );
  },

  createServiceAction: async ({ body, tenant }) => {
    tenant.records(serviceEntity).references.require(body.service_id, noSuchRecord('service_id'));
    const created_at = tenant.session.timestamp;
    return answerRecord(await tenant.records(serviceActionEntity).create({ ...body, created_at }));
  },

  getServiceAction: async ({ params, tenant, getOrThrow }) =>
    answerRecord(await getOrThrow(tenant.records(serviceActionEntity), params.id)),
};
