import { flagsAt } from '@custodia/counted-lists';
import { claimed, type Entity, entity, order, set, storedAs, type Tenant, words } from '#table';
import { clientEntity } from '../clients/store.ts';
import { TICKET_OVERDUE } from '../clients/words.ts';
import { attachment } from './attachments/contract.ts';
import { type Ticket, ticket, ticketMessage } from './contract.ts';

/** A ticket as stored. */
export type StoredTicket = Omit<Ticket, 'overdue' | Merged> & Partial<Pick<Ticket, Merged>>;
type Merged = 'merged_into' | 'merged_from';

export const ticketEntity = entity('TICKET', storedAs<StoredTicket>(ticket), {
  indexes: [
    set('status'),
    set('client_id'),
    set('assigned_to'),
    set('tags'),
    // A setting of the stage (`docs/decisions/0170-filters.md`).
    words(['subject'], { claims: ['ticket_code'], isLeftOut: () => process.env.TICKET_WORDS === 'off' }),
    claimed('ticket_code'),
    claimed('external_id'),
    order('last_activity_at'),
  ],
  latest: {
    client_id: { of: clientEntity, field: 'last_contact', time: 'created_at', below: (): Entity => messageEntity },
  },
  restorable: { title: 'subject', below: (): Entity[] => [messageEntity, attachmentEntity] },
  momentary: { overdue: TICKET_OVERDUE },
  json: ['custom_fields'],
  ofClient: 'client_id',
  journaled: { history: true },
});

/** Those of a ticket that is older than these fields. */
const ABSENT = { due_at: null, first_response_at: null, resolved_at: null, merged_into: null, merged_from: null };

/** How reading shows tickets at a time. */
export function ticketAt(timestamp: string): (ticket: StoredTicket) => Ticket {
  const { overdue } = flagsAt(timestamp, ticketEntity.momentary);
  return (ticket) => ({ ...ABSENT, ...ticket, overdue: overdue?.isTrue({ ...ticket }) ?? false });
}

/** The `resolved_at` that a status gives a ticket, where it gets another one: each closing sets it. */
export function resolutionOf(
  { status, resolved_at = null }: Partial<StoredTicket>,
  next: StoredTicket['status'] | undefined,
  timestamp: string,
): Partial<Pick<StoredTicket, 'resolved_at'>> {
  if (next === undefined || next === status) return {};
  const resolved = next === 'closed' ? timestamp : null;
  return resolved === resolved_at ? {} : { resolved_at: resolved };
}

export const messageEntity = entity('MESSAGE', ticketMessage, {
  byTime: true,
  parent: ticketEntity,
  internal: 'is_internal',
  journaled: {},
});

/** The messages of a ticket. */
export const messagesOf = (tenant: Tenant, ticketId: string) => tenant.below(messageEntity, ticketId);

export const attachmentEntity = entity('ATTACHMENT', attachment, {
  byTime: true,
  parent: ticketEntity,
  elsewhere: ['upload', 'download'],
  journaled: {},
});

/** The attachments of a ticket that were uploaded. */
export const attachmentsOf = (tenant: Tenant, ticketId: string) => tenant.below(attachmentEntity, ticketId);
