import * as z from 'zod';
import { reference, unique } from '../../shared/contract/constraints.ts';
import { flag, jsonObject, name, tags, text, timestamp, uuid, word } from '../../shared/contract/fields.ts';
import { cursorParameters, pageParameters } from '../../shared/contract/parameters.ts';
import { optionalOnCreate, type RecordOf, readOnly, record } from '../../shared/contract/record.ts';
import { contract, created, noContent, ok, pageOf, route, wholeListOf } from '../../shared/contract/route.ts';
import { messageExample, summaryExample, ticketExample } from './examples.ts';

/** A closed set: the list's filter has these three values (spec §4). */
const status = () => z.enum(['open', 'closed', 'pending']);

/** The fields of a ticket in a page (spec §4). */
const summaryFields = () => ({
  id: readOnly(uuid()),
  ticket_code: optionalOnCreate(unique(name(100))),
  contact_id: uuid(),
  subject: name(500),
  description: text(20_000),
  status: status().default('open'),
  priority: word().default('normal'),
  source: word(),
  client_id: reference('Client').nullable().default(null),
  service_id: reference('Service').nullable().default(null),
  assigned_to: uuid().nullable().default(null),
  created_at: readOnly(timestamp().nullable()),
});

export const ticketSummary = record('TicketSummary', summaryFields);

export const ticket = record('Ticket', () => ({
  ...summaryFields(),
  resource_id: reference('Resource').nullable().default(null),
  terminal_id: reference('Terminal').nullable().default(null),
  assigned_team: text(200).nullable().default(null),
  tags: tags().nullable().default(null),
  custom_fields: jsonObject().nullable().default(null),
  updated_at: readOnly(timestamp().nullable()),
  last_activity_at: readOnly(timestamp().nullable()),
}));
export type Ticket = RecordOf<typeof ticket>;

export const ticketMessage = record('TicketMessage', () => ({
  id: readOnly(uuid()),
  ticket_id: readOnly(reference('Ticket')),
  author_type: word(),
  author_id: uuid(),
  message: text(10_000, 1),
  is_internal: flag().default(false),
  created_at: readOnly(timestamp()),
}));
export type TicketMessage = RecordOf<typeof ticketMessage>;

const params = () => ({ id: reference('Ticket') });

export const tickets = contract({
  name: 'tickets',
  tag: 'Tickets',
  description: 'What people ask an organization for help with, and what is said about it.',
  routes: {
    listTickets: route('GET', '/api/v1/tickets', {
      summary: 'List tickets',
      permission: 'tickets:read',
      query: () => ({
        ...pageParameters(),
        status: status().optional(),
        client_id: reference('Client').optional(),
        assigned_to: uuid().optional().describe('Who the tickets are assigned to.'),
      }),
      response: pageOf(ticketSummary, 'A page of tickets.', summaryExample),
    }),
    createTicket: route('POST', '/api/v1/tickets', {
      event: { type: 'ticket.created' },
      summary: 'Open a ticket',
      description:
        'A service, resource or terminal that it names must be of its client, if it names one. Without a `ticket_code` the ticket gets one from the sequence: `T-000042`.',
      permission: 'tickets:write',
      body: ticket.create,
      bodyExample: {
        contact_id: ticketExample.contact_id,
        subject: ticketExample.subject,
        description: ticketExample.description,
        source: ticketExample.source,
        client_id: ticketExample.client_id,
      },
      response: created(ticket, 'The created ticket.', ticketExample),
    }),
    getTicket: route('GET', '/api/v1/tickets/{id}', {
      summary: 'Read a ticket',
      permission: 'tickets:read',
      params,
      response: ok(ticket, 'The ticket.', ticketExample),
      errors: ['not-found'],
    }),
    updateTicket: route('PATCH', '/api/v1/tickets/{id}', {
      event: { type: 'ticket.updated' },
      summary: 'Change a ticket',
      permission: 'tickets:write',
      params,
      body: ticket.patch,
      bodyExample: { status: 'closed' },
      response: ok(ticket, 'The updated ticket.', { ...ticketExample, status: 'closed' }),
      errors: ['not-found'],
    }),
    deleteTicket: route('DELETE', '/api/v1/tickets/{id}', {
      event: { type: 'ticket.deleted' },
      summary: 'Delete a ticket with its messages',
      permission: 'tickets:write',
      params,
      response: noContent('The ticket and its messages are gone.'),
      errors: ['not-found'],
    }),
    listTicketMessages: route('GET', '/api/v1/tickets/{id}/messages', {
      summary: 'List the messages of a ticket',
      description: 'Oldest first.',
      permission: 'tickets:read',
      params,
      query: cursorParameters,
      response: wholeListOf(ticketMessage, 'The messages of the ticket.', messageExample),
      errors: ['not-found'],
    }),
    createTicketMessage: route('POST', '/api/v1/tickets/{id}/messages', {
      event: { type: 'ticket_message.created', idField: 'ticket_id' },
      summary: 'Add a message to a ticket',
      permission: 'tickets:write',
      params,
      body: ticketMessage.create,
      bodyExample: {
        author_type: messageExample.author_type,
        author_id: messageExample.author_id,
        message: messageExample.message,
      },
      response: created(ticketMessage, 'The created message.', messageExample),
      errors: ['not-found'],
    }),
  },
});
