import { membershipEntity, roleEntity } from '../functions/access/store.ts';
import { actionEntity, clientEntity } from '../functions/clients/store.ts';
import { integration } from '../functions/integrations/contract.ts';
import { integrationEntity } from '../functions/integrations/store.ts';
import { logEntry } from '../functions/logs/contract.ts';
import { logEntity } from '../functions/logs/store.ts';
import { isRisk as isResourceAtRisk } from '../functions/resources/metrics.ts';
import { historyEntity, resourceEntity } from '../functions/resources/store.ts';
import { serviceActionEntity } from '../functions/service-actions/store.ts';
import { isRisk as isServiceAtRisk } from '../functions/services/health.ts';
import { serviceEntity } from '../functions/services/store.ts';
import { terminalEntity } from '../functions/terminals/store.ts';
import { ticket } from '../functions/tickets/contract.ts';
import { messageEntity, ticketEntity } from '../functions/tickets/store.ts';
import { userEntity } from '../functions/users/store.ts';
import { eventEntity } from '../functions/webhooks/store.ts';
import { auditEventEntity } from '../shared/table/repository/audit-events.ts';
import { counted, type Kind, kind } from '../shared/table/verify/kinds.ts';

/** Every kind of record that a tenant has, and what records tell of others. A test compares it with what the domains declare. */
export const kinds: readonly Kind[] = [
  kind(clientEntity, {
    below: [actionEntity],
    counters: {
      services_count: [counted(serviceEntity, 'client_id')],
      total_resources: [counted(resourceEntity, 'client_id')],
      risks: [
        counted(serviceEntity, 'client_id', isServiceAtRisk),
        counted(resourceEntity, 'client_id', isResourceAtRisk),
      ],
    },
  }),
  kind(serviceEntity, {
    counters: { resource_count: [counted(resourceEntity, 'service_id')] },
    values: { client_id: clientEntity },
  }),
  kind(resourceEntity, { below: [historyEntity], values: { client_id: clientEntity, service_id: serviceEntity } }),
  kind(serviceActionEntity, { values: { service_id: serviceEntity } }),
  kind(terminalEntity, { values: { client_id: clientEntity } }),
  kind(ticketEntity, { below: [messageEntity], values: { status: ticket.patch.schema.shape.status.unwrap().options } }),
  kind(userEntity, { values: { is_active: ['true', 'false'] } }),
  kind(roleEntity),
  kind(membershipEntity, { values: { user_id: userEntity } }),
  kind(integrationEntity, { values: { status: integration.patch.schema.shape.status.unwrap().options } }),
  kind(eventEntity, { values: { integration_id: integrationEntity } }),
  kind(auditEventEntity, { values: { actor_id: integrationEntity } }),
  kind(logEntity, { values: { level: logEntry.schema.shape.level.options } }),
];
