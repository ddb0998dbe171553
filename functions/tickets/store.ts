import { entity } from '../../shared/table/entity.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import type { Ticket, TicketMessage } from './contract.ts';

/** A ticket's code is unique too, but `codes.ts` sees to that: a clash of a generated one is not the caller's fault. */
export const ticketEntity = entity<Ticket>('TICKET', { filters: [['status']], json: ['custom_fields'] });

const messageEntity = entity<TicketMessage>('MESSAGE', { byTime: true });

/** What was said about a ticket, in order. */
export const messagesOf = (tenant: Tenant, ticketId: string) => tenant.below(ticketEntity, ticketId, messageEntity);
