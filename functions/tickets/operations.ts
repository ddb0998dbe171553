import { invalidField, Problem, pointer } from '#contract';
import {
  changeListOf,
  countsOf,
  noRecord,
  noSuchRecord,
  type Operations,
  pagesOf,
  respond,
  restored,
  upsertOf,
} from '#http';
import { changesOf, type Tenant } from '#table';
import { noteContact, requireClient } from '../clients/references.ts';
import { resourceEntity } from '../resources/store.ts';
import { serviceEntity } from '../services/store.ts';
import { terminalEntity } from '../terminals/store.ts';
import { generatedCode } from './codes.ts';
import { type Ticket, type TicketMessage, type TicketSummary, ticket, type tickets } from './contract.ts';
import { mergeTicket, messagesOfAll } from './merging.ts';
import { messageEntity, messagesOf, resolutionOf, ticketAt, ticketEntity } from './store.ts';

export const ticketOperations: Operations<typeof tickets> = {
  listTickets: pagesOf(ticketEntity, ({ record }, { query, session }) =>
    query.view === 'full' ? { ...NO_DETAILS, ...ticketAt(session.timestamp)(record) } : { ...record, ...HIDDEN },
  ),

  summarizeTickets: countsOf(ticketEntity),

  createTicket: async ({ body, tenant, session }) => {
    const { ticket_code: code, ...fields } = body;
    const now = session.timestamp;
    requireReferences(tenant, fields);
    const created = await tenant.records(ticketEntity).create<'ticket_code'>({
      fields: {
        ...fields,
        created_at: now,
        updated_at: now,
        last_activity_at: now,
        first_response_at: null,
        resolved_at: fields.status === 'closed' ? now : null,
      },
      deferred: (place) => ({ ticket_code: code ?? generatedCode(place) }),
      generated: code === undefined ? ['ticket_code'] : [],
    });
    return respond.record(created, ticketAt(now));
  },

  upsertTicket: upsertOf({
    ...{ by: 'external_id', entity: ticketEntity, record: ticket },
    write: () => [ticketOperations.createTicket, ticketOperations.updateTicket],
  }),

  getTicket: async ({ params, tenant, session, getOrThrow }) =>
    respond.record(await getOrThrow(tenant.records(ticketEntity), params.id), ticketAt(session.timestamp)),

  listTicketChanges: changeListOf(ticketEntity),

  updateTicket: async ({ params, body, tenant, session, getOrThrow }) => {
    const records = tenant.records(ticketEntity);
    const now = session.timestamp;
    const shown = ticketAt(now);
    const before = await getOrThrow(records, params.id, shown);
    const changes = changesOf(shown(before.record), body);
    if (changes === undefined) return respond.record(before, shown);
    if (changes.status !== undefined && before.record.merged_into)
      throw invalidField('status', 'must stay: the ticket is merged into another one');
    requireReferences(tenant, { ...before.record, ...changes }, changes);
    const further = { ...resolutionOf(before.record, changes.status, now), updated_at: now };
    return respond.record(
      await records.update(before, { ...changes, ...further }, { moves: 'last_activity_at' }),
      shown,
    );
  },

  deleteTicket: async ({ params, tenant, getOrThrow }) => {
    const records = tenant.records(ticketEntity);
    await records.remove(await getOrThrow(records, params.id));
    return respond.empty;
  },

  restoreTicket: async (input) => {
    const back = await restored(input, ticketEntity, ({ client_id, service_id }) =>
      requireReferences(input.tenant, { ...NONE, client_id, service_id }),
    );
    return respond.record(back, ticketAt(input.session.timestamp));
  },

  mergeTicket,

  listTicketMessages: async ({ params, query, tenant, caller, getOrThrow }) => {
    if (query.merged && caller.clients !== null) throw ofOrganization('query', 'merged');
    const asked = { limit: query.page_size, after: query.after, newestFirst: query.sort[0]?.descending === true };
    const ticket = getOrThrow(tenant.records(ticketEntity), params.id);
    if (query.merged)
      return respond.cursorPage(await messagesOfAll(tenant, (await ticket).record, asked), shownMessage);
    const [page] = await Promise.all([messagesOf(tenant, params.id).cursorPage(asked), ticket]);
    return respond.cursorPage(page, shownMessage);
  },

  getTicketMessage: async ({ params, tenant, getOrThrow }) => {
    const { message } = await messageOf(tenant, params, getOrThrow);
    requirePresent(message.record);
    return respond.record(message, shownMessage);
  },

  updateTicketMessage: async ({ params, body, tenant, session, getOrThrow }) => {
    const { messages, message } = await messageOf(tenant, params, getOrThrow);
    requirePresent(message.record);
    const changes = changesOf(message.record, body);
    if (changes === undefined) return respond.record(message, shownMessage);
    return respond.record(await messages.update(message, { ...changes, edited_at: session.timestamp }), shownMessage);
  },

  deleteTicketMessage: async ({ params, tenant, session, getOrThrow }) => {
    const { messages, message } = await messageOf(tenant, params, getOrThrow);
    requirePresent(message.record);
    await messages.update(message, { message: 'removed', removed_at: session.timestamp }, { verb: 'deleted' });
    return respond.empty;
  },

  createTicketMessage: async ({ params, body, tenant, session, caller, getOrThrow }) => {
    if (caller.clients !== null) requireOfClient(body);
    const records = tenant.records(ticketEntity);
    const stored = await getOrThrow(records, params.id);
    const { record: ticket } = stored;
    const now = session.timestamp;
    // Also a condition that the ticket exists: no message can be added to one that is deleted at the same time.
    records.derived.move(
      stored,
      'last_activity_at',
      () => noRecord(ticketEntity),
      isResponse(body) ? FIRST : undefined,
    );
    if (ticket.client_id !== null) noteContact(tenant, ticket.client_id);
    return respond.record(
      await messagesOf(tenant, ticket.id).create({
        fields: { ...body, ticket_id: ticket.id, created_at: now, edited_at: null, removed_at: null },
      }),
    );
  },
};

/** What people of a client do not ask for or say. */
const ofOrganization = (part: 'query' | 'body', name: string): Problem => {
  const detail = 'is for people of the whole organization';
  return new Problem('forbidden', { errors: [{ in: part, pointer: pointer([name]), detail }] });
};

/** Checks that a message says that it is from a client, to be read by all. @throws Problem `forbidden` */
function requireOfClient({ is_internal, author_type }: Pick<TicketMessage, 'is_internal' | 'author_type'>): void {
  if (is_internal) throw ofOrganization('body', 'is_internal');
  if (OF_ORGANIZATION.includes(author_type)) throw ofOrganization('body', 'author_type');
}
const OF_ORGANIZATION = ['agent', 'system'];

/** A message of a ticket. @throws Problem `not-found` where one of the two does not exist */
async function messageOf(
  tenant: Tenant,
  params: { readonly id: string; readonly message_id: string },
  getOrThrow: Parameters<Operations<typeof tickets>['getTicketMessage']>[0]['getOrThrow'],
) {
  const messages = messagesOf(tenant, params.id);
  const [message, ticket] = await Promise.all([
    getOrThrow(messages, params.message_id, shownMessage),
    tenant.records(ticketEntity).get(params.id),
  ]);
  if (ticket === undefined) throw noRecord(ticketEntity);
  return { messages, message };
}

/** @throws Problem `not-found` for a message that was deleted */
function requirePresent({ removed_at }: TicketMessage): void {
  if (removed_at) throw noRecord(messageEntity);
}

/** Those of a message that is older than these fields. */
const UNCHANGED = { edited_at: null, removed_at: null };
const shownMessage = (message: TicketMessage): TicketMessage => ({ ...UNCHANGED, ...message });

/** The field that the first of these messages sets (`first_response_at`), for the people who have asked. */
const FIRST = 'first_response_at';
const isResponse = ({ author_type, is_internal }: Pick<TicketMessage, 'author_type' | 'is_internal'>): boolean =>
  author_type === 'agent' && !is_internal;

type References = Pick<Ticket, 'client_id' | 'service_id' | 'resource_id' | 'terminal_id'>;
type Changed = { readonly [field in keyof References]?: References[field] };

/**
 * Checks the references of a ticket that a request changes: the records exist, and are the client's if the ticket names
 * one. A new client must be that of all of them. Otherwise the commit fails with a 422 that points at the field.
 * `contact_id` and `assigned_to` name people outside the service and are not checked (`docs/decisions/0031`).
 * @param ticket as it will be
 */
function requireReferences(tenant: Tenant, ticket: References, changed: Changed = ticket): void {
  const { client_id } = ticket;
  if (changed.client_id) requireClient(tenant, changed.client_id);
  const { service_id, resource_id, terminal_id } = changed.client_id ? ticket : { ...NONE, ...changed };
  const equals = client_id === null ? {} : { client_id };
  const refusal = (field: string) => (client_id === null ? noSuchRecord(field) : notOfClient(field));
  if (service_id) tenant.records(serviceEntity).require(service_id, refusal('service_id'), equals);
  if (resource_id) tenant.records(resourceEntity).require(resource_id, refusal('resource_id'), equals);
  if (terminal_id) tenant.records(terminalEntity).requireLasting(terminal_id, refusal('terminal_id'), equals);
}

const NONE = { service_id: null, resource_id: null, terminal_id: null };

/** The same for a missing record, another client's and another tenant's. */
const notOfClient = (field: string) =>
  noSuchRecord(field, `names no ${field.replace(/_id$/, '')} of the ticket's client`);

/** How a list shows a ticket. */

type Details = Omit<Ticket, keyof Shown>;
/** The fields that every view has. */
type Shown = { [F in keyof TicketSummary as undefined extends TicketSummary[F] ? never : F]: TicketSummary[F] };

/** The fields that only the view `full` has; null in a ticket that is older than the field. */
const NO_DETAILS: { readonly [F in keyof Omit<Details, 'overdue'>]: null } = {
  external_id: null,
  resource_id: null,
  terminal_id: null,
  assigned_team: null,
  tags: null,
  custom_fields: null,
  updated_at: null,
  last_activity_at: null,
  due_at: null,
  first_response_at: null,
  resolved_at: null,
  merged_into: null,
  merged_from: null,
};

/** Responses leave out undefined fields. */
const HIDDEN = Object.fromEntries([...Object.keys(NO_DETAILS), 'overdue'].map((field) => [field, undefined]));
