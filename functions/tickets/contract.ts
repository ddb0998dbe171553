import * as z from 'zod';
import {
  body,
  contract,
  created,
  createOnly,
  crud,
  noContent,
  ok,
  onRequest,
  optionalOnCreate,
  pageOf,
  type RecordOf,
  readOnly,
  record,
  route,
  unique,
  WHOLE_LIST,
  wholeListOf,
} from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import { externalId, TICKET_STATUSES, withExternalId } from '../clients/words.ts';
import { messageExample, ticketExample } from './examples.ts';
import { MOST_MERGED } from './limits.ts';

const status = () => z.enum(TICKET_STATUSES);

/** The fields of a ticket in a page (spec §4). */
const summaryFields = () => ({
  id: readOnly(field.uuid()),
  ticket_code: optionalOnCreate(
    unique(field.identifier(100, 1)).describe(
      'What people call the ticket by; no two tickets of an organization have the same. The next of the sequence ' +
        '`T-000042` unless given.',
    ),
  ),
  contact_id: field.uuid().describe('Who asks for help: an id of your own directory.'),
  subject: field.name(500).describe('What it is about, in one line.'),
  description: field.text(20_000).describe('What is wrong or wanted, at length.'),
  status: status()
    .default('open')
    .describe(
      'Where the work stands: not begun or under way (`open`), waiting for somebody (`pending`), done (`closed`).',
    ),
  priority: field.word().default('normal').describe('How urgent it is: `low`, `normal`, `high` … Or another word.'),
  source: field.word().describe('Channel: `email`, `phone`, `web` … Or another word.'),
  client_id: field.reference('Client').nullable().default(null).describe('The client that it concerns; null for none.'),
  service_id: field
    .reference('Service')
    .nullable()
    .default(null)
    .describe('The service that it concerns; null for none.'),
  assigned_to: field.uuid().nullable().default(null).describe('Who works on it: an id of your own directory.'),
  created_at: readOnly(field.timestamp().nullable()),
});

/** The fields of a ticket that a page has only with `view=full`. */
const detailFields = () => ({
  external_id: externalId(),
  resource_id: field
    .reference('Resource')
    .nullable()
    .default(null)
    .describe('The resource that it concerns; null for none.'),
  terminal_id: field
    .reference('Terminal')
    .nullable()
    .default(null)
    .describe('The terminal that it concerns; null for none.'),
  assigned_team: field.text(200).nullable().default(null).describe('Which team works on it, in your own words.'),
  tags: field
    .tags()
    .nullable()
    .default(null)
    .describe(
      'Labels to group tickets by, each of up to 100 characters. `tag` finds it by its first 20 different ones.',
    ),
  custom_fields: field.freeForm('Fields of your own.').nullable().default(null),
  due_at: field
    .timestamp()
    .nullable()
    .default(null)
    .describe('Extends the specification: until when it is to be done; null for no time.'),
  updated_at: readOnly(field.timestamp().nullable()),
  last_activity_at: readOnly(
    field.timestamp().nullable().describe('When the ticket was last changed or got a message; moved by the service.'),
  ),
  first_response_at: readOnly(
    field
      .timestamp()
      .nullable()
      .describe(
        'Extends the specification: when it got its first message whose `author_type` is `agent` and that is not ' +
          'internal; null before, and of tickets that got it before this field was there.',
      ),
  ),
  resolved_at: readOnly(
    field
      .timestamp()
      .nullable()
      .describe('Extends the specification: when it was last closed; null while it is not `closed`.'),
  ),
  overdue: readOnly(
    field
      .flag()
      .describe('Extends the specification: whether it is past its `due_at` and not `closed`, when it is read.'),
  ),
  merged_into: readOnly(
    field
      .reference('Ticket')
      .nullable()
      .describe('Extends the specification: the ticket that goes on in its place; null for none.'),
  ),
  merged_from: readOnly(
    field
      .list(field.reference('Ticket'), MOST_MERGED)
      .nullable()
      .meta({ examples: [['0c7f4a7e-6f0d-4f0a-9a49-0d2b7a0f5e11']] })
      .describe('Extends the specification: the tickets that it goes on for; null for none.'),
  ),
});

export const ticketSummary = record('TicketSummary', () => ({
  ...summaryFields(),
  ...onRequest(detailFields()),
})).describe('What a list shows of a ticket: the required fields, and with `view=full` all others.');
export type TicketSummary = RecordOf<typeof ticketSummary>;

export const ticket = record('Ticket', () => ({
  ...summaryFields(),
  ...detailFields(),
})).describe('What somebody asks an organization for help with.');
export type Ticket = RecordOf<typeof ticket>;

/** The field of a message or an attachment. */
export const isInternal = () =>
  field
    .flag()
    .default(false)
    .describe('Whether it is for the people of the organization only, and not to be shown to the client.');

export const ticketMessage = record('TicketMessage', () => ({
  id: readOnly(field.uuid()),
  ticket_id: readOnly(field.reference('Ticket').describe('The ticket that it was written in.')),
  author_type: createOnly(
    field.word().describe('As what its author writes: `agent`, `customer`, `system` … Or another word.'),
  ),
  author_id: createOnly(field.uuid().describe('Who wrote it: an id of your own directory.')),
  message: field.text(10_000, 1).describe('What was written, as plain text; `removed` where it was deleted.'),
  is_internal: createOnly(isInternal()),
  created_at: readOnly(field.timestamp()),
  edited_at: readOnly(
    field.timestamp().nullable().describe('Extends the specification: when its text was last changed.'),
  ),
  removed_at: readOnly(field.timestamp().nullable().describe('Extends the specification: when it was deleted.')),
})).describe('What was said about a ticket.');
export type TicketMessage = RecordOf<typeof ticketMessage>;

const merge = body('TicketMerge', () => ({
  into: field.reference('Ticket').describe('The ticket that goes on, of the same client where both have one.'),
})).describe('Which ticket goes on in the place of this one.');

/** The path of a message. */
const MESSAGE = '/api/v1/tickets/{id}/messages/{message_id}';
const ofMessage = () => ({
  ...usual.params(),
  message_id: field.reference('TicketMessage').describe('Id of the message.'),
});

const usual = crud(ticket, { path: '/api/v1/tickets', one: 'a ticket', many: 'tickets', example: ticketExample });

/** The filters of the list and of what counts it. */
const filters = () => ({
  status: parameter.anyOf(status(), 'Only tickets where the work stands so.'),
  client_id: parameter.anyOf(field.reference('Client'), 'Only tickets of this client.'),
  assigned_to: parameter.anyOf(field.uuid(), 'Only tickets that are assigned to this user.'),
  ticket_code: unique(field.identifier(100, 1)).optional().describe('Only the ticket with exactly this code.'),
  external_id: withExternalId('ticket'),
  q: parameter.words('subject, or the ticket code as typed or in capitals', 'print sil'),
  tag: parameter.allOf(field.name(100), 'Only tickets with this tag, one of their first 20.'),
  last_activity_after: parameter
    .instant()
    .optional()
    .describe(
      'Only tickets whose last activity was at this time or later: up to 10,000 may match, and more where ' +
        'other filters leave few.',
    ),
  last_activity_before: parameter.instant().optional().describe('Only tickets whose last activity was earlier.'),
});

export const tickets = contract({
  name: 'tickets',
  tag: 'Tickets',
  description: 'What people ask an organization for help with, and what is said about it.',
  // Other tickets may be of other clients.
  hiddenFromClients: ['custom_fields', 'merged_into', 'merged_from'],
  routes: {
    listTickets: usual.list({
      clientScope: true,
      query: () => ({
        ...parameter.page(),
        sort: parameter
          .sort('last_activity_at')
          .describe('Order of creation or of the last activity, the latest first where `-` precedes it.'),
        ...filters(),
        view: parameter
          .view()
          .describe(
            'How much of each ticket to show: the fields that are required in the response (`summary`), or all ' +
              '(`full`).',
          ),
      }),
      response: pageOf(ticketSummary, 'A page of tickets.', ticketExample),
    }),
    summarizeTickets: usual.summary(filters),
    createTicket: usual.create({
      clientScope: true,
      summary: 'Open a ticket',
      description:
        'A service, resource or terminal that it names must be of its client, if it names one. Without a ' +
        '`ticket_code` the ticket gets one from the sequence: `T-000042`.',
      bodyExample: {
        contact_id: ticketExample.contact_id,
        subject: ticketExample.subject,
        description: ticketExample.description,
        source: ticketExample.source,
        client_id: ticketExample.client_id,
      },
    }),
    upsertTicket: usual.upsert({
      bodyExample: {
        contact_id: ticketExample.contact_id,
        subject: ticketExample.subject,
        description: ticketExample.description,
        source: ticketExample.source,
      },
    }),
    getTicket: usual.read({ clientScope: true }),
    listTicketChanges: usual.changes(),
    updateTicket: usual.update({
      clientScope: true,
      bodyExample: { status: 'closed' },
    }),
    deleteTicket: usual.remove({
      summary: 'Delete a ticket with its messages',
      response: noContent('The ticket and its messages are gone.'),
    }),
    mergeTicket: route('POST', '/api/v1/tickets/{id}/merge', {
      extension: true,
      summary: 'Merge a ticket into another one',
      description:
        `It is closed for good. Its messages stay where they are: \`GET /tickets/{id}/messages?merged=true\` of the ` +
        `other one shows both. A ticket takes in ${MOST_MERGED} others at most, with those that they have taken in.`,
      permission: 'tickets:write',
      params: usual.params,
      body: merge,
      bodyExample: { into: '8c7d1f8e-55a3-4f0b-9c1d-2e3f4a5b6c7d' },
      response: ok(ticket, 'The closed ticket.', { ...ticketExample, status: 'closed' }),
      errors: ['not-found', 'conflict'],
    }),
    restoreTicket: usual.restore(),
    listTicketMessages: route('GET', '/api/v1/tickets/{id}/messages', {
      summary: 'List the messages of a ticket',
      description: 'Oldest first, unless `sort` says otherwise.',
      permission: 'tickets:read',
      clientScope: true,
      params: usual.params,
      query: () => ({
        ...parameter.cursor(),
        page_size: parameter.limit(WHOLE_LIST, WHOLE_LIST).describe('How many messages a response has.'),
        sort: z
          .enum(['created_at', '-created_at'])
          .default('created_at')
          .describe('Order of creation: oldest first, or newest first (`-created_at`).'),
        merged: parameter
          .flag()
          .default(false)
          .describe('Whether with the messages of the tickets that are merged into it.'),
      }),
      response: wholeListOf(ticketMessage, 'The messages of the ticket.', messageExample),
      errors: ['not-found'],
    }),
    createTicketMessage: route('POST', '/api/v1/tickets/{id}/messages', {
      event: { type: 'ticket_message.created', idField: 'ticket_id' },
      summary: 'Add a message to a ticket',
      permission: 'tickets:write',
      clientScope: true,
      params: usual.params,
      body: ticketMessage.create,
      bodyExample: {
        author_type: messageExample.author_type,
        author_id: messageExample.author_id,
        message: messageExample.message,
      },
      response: created(ticketMessage, 'The created message.', messageExample),
      errors: ['not-found'],
    }),
    getTicketMessage: route('GET', MESSAGE, {
      extension: true,
      summary: 'Read a message of a ticket',
      permission: 'tickets:read',
      clientScope: true,
      params: ofMessage,
      response: ok(ticketMessage, 'The message.', messageExample),
      errors: ['not-found'],
    }),
    updateTicketMessage: route('PATCH', MESSAGE, {
      event: { type: 'ticket_message.updated', idField: 'ticket_id' },
      extension: true,
      summary: 'Change the text of a message',
      description: 'It says by `edited_at` that it was changed. One that was deleted is a 404.',
      permission: 'tickets:write',
      params: ofMessage,
      body: ticketMessage.patch,
      bodyExample: { message: 'Please pull the plug, wait a minute and put it back.' },
      response: ok(ticketMessage, 'The message after the change.', messageExample),
      errors: ['not-found'],
    }),
    deleteTicketMessage: route('DELETE', MESSAGE, {
      event: { type: 'ticket_message.deleted', idField: 'ticket_id' },
      extension: true,
      summary: 'Delete the text of a message',
      description: 'The message stays in its place; its text is `removed`.',
      permission: 'tickets:write',
      params: ofMessage,
      response: noContent('The text is gone.'),
      errors: ['not-found'],
    }),
  },
});
