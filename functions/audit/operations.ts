import { type Operations, recordResponse } from '../../shared/http/operation.ts';
import { pagesOf } from '../../shared/http/pages.ts';
import type { audit } from './contract.ts';
import { auditEventEntity } from './store.ts';

export const auditOperations: Operations<typeof audit> = {
  listAuditEvents: pagesOf(auditEventEntity),

  getAuditEvent: async ({ params, tenant, getOrThrow }) =>
    recordResponse(await getOrThrow(tenant.records(auditEventEntity), params.id)),
};
