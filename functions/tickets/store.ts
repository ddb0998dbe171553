import { entity, exactly } from '../../shared/table/repository/entity.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import type { Ticket, TicketMessage } from './contract.ts';

export const ticketEntity = entity<Ticket>('TICKET', {
  filters: ['status'],
  json: ['custom_fields'],
  unique: { ticket_code: exactly },
});

export const messageEntity = entity<TicketMessage>('MESSAGE', { byTime: true });

/** What was said about a ticket, in order. */
export const messagesOf = (tenant: Tenant, ticketId: string) => tenant.below(ticketEntity, ticketId, messageEntity);
