import { type Entity, entity, type Tenant } from '#table';
import { clientEntity } from '../clients/store.ts';
import { ticket, ticketMessage } from './contract.ts';

export const ticketEntity = entity('TICKET', ticket, {
  filters: ['status', 'client_id', 'assigned_to', 'tags'],
  words: ['subject'],
  // A setting of the stage (`docs/decisions/0170-filters.md`).
  isWithoutWords: () => process.env.TICKET_WORDS === 'off',
  exact: { ticket_code: 'claimed' },
  orders: ['last_activity_at'],
  latest: {
    client_id: { of: clientEntity, field: 'last_contact', time: 'created_at', below: (): Entity => messageEntity },
  },
  json: ['custom_fields'],
  journaled: {},
});

export const messageEntity = entity('MESSAGE', ticketMessage, {
  byTime: true,
  parent: ticketEntity,
  journaled: {},
});

/** The messages of a ticket. */
export const messagesOf = (tenant: Tenant, ticketId: string) => tenant.below(messageEntity, ticketId);
