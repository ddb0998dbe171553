import { type Operations, pagesOf, respond } from '#http';
import type { audit } from './contract.ts';
import { auditEventEntity } from './store.ts';

export const auditOperations: Operations<typeof audit> = {
  listAuditEvents: pagesOf(auditEventEntity),

  getAuditEvent: async ({ params, tenant, getOrThrow }) =>
    respond.record(await getOrThrow(tenant.records(auditEventEntity), params.id)),
};
