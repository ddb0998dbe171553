import { claimed, type Entity, entity, order, set, type Tenant, words } from '#table';
import { clientEntity } from '../clients/store.ts';
import { ticket, ticketMessage } from './contract.ts';

export const ticketEntity = entity('TICKET', ticket, {
  indexes: [
    set('status'),
    set('client_id'),
    set('assigned_to'),
    set('tags'),
    // A setting of the stage (`docs/decisions/0170-filters.md`).
    words(['subject'], { isLeftOut: () => process.env.TICKET_WORDS === 'off' }),
    claimed('ticket_code'),
    order('last_activity_at'),
  ],
  latest: {
    client_id: { of: clientEntity, field: 'last_contact', time: 'created_at', below: (): Entity => messageEntity },
  },
  json: ['custom_fields'],
  journaled: { history: true },
});

export const messageEntity = entity('MESSAGE', ticketMessage, {
  byTime: true,
  parent: ticketEntity,
  journaled: {},
});

/** The messages of a ticket. */
export const messagesOf = (tenant: Tenant, ticketId: string) => tenant.below(messageEntity, ticketId);
