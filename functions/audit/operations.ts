import { answerPage, answerRecord, type Operations } from '../../shared/http/operation.ts';
import type { audit } from './contract.ts';
import { auditEventEntity } from './store.ts';

export const auditOperations: Operations<typeof audit> = {
  listAuditEvents: async ({ query, tenant }) => {
    const { actor_id, record_id } = query;
    return answerPage(
      await tenant.records(auditEventEntity).page({ ...query, filter: { actor_id, record_id } }),
      query,
    );
  },

  getAuditEvent: async ({ params, tenant, getOrThrow }) =>
    answerRecord(await getOrThrow(tenant.records(auditEventEntity), params.id)),
};
