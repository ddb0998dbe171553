import { invalidField, Problem } from '#contract';
import { noSuchRecord, type Operations, respond } from '#http';
import { changesOf, type Stored, type Tenant } from '#table';
import type { TicketMessage, tickets } from './contract.ts';
import { MOST_MERGED } from './limits.ts';
import { messagesOf, resolutionOf, type StoredTicket, ticketAt, ticketEntity } from './store.ts';

/**
 * Tickets that are merged into another one are closed, and keep their messages (`docs/decisions/0031-tickets.md`). The
 * other one names them all, also those that they have taken in, so that none of its readers follows a chain.
 */

/**
 * Closes a ticket, in the transaction in which the other one names it. Both are as read, so of two opposite merges one
 * is refused.
 */
export const mergeTicket: Operations<typeof tickets>['mergeTicket'] = async (input) => {
  const { params, body, tenant, session, getOrThrow } = input;
  const records = tenant.records(ticketEntity);
  const [ticket, other] = await Promise.all([getOrThrow(records, params.id), records.get(body.into)]);
  if (other === undefined) throw noSuchRecord('into', 'names a ticket that does not exist')();
  session.contention.name({ key: records.keyOf(body.into), id: body.into });
  const now = session.timestamp;
  if (ticket.record.merged_into === body.into) return respond.record(ticket, ticketAt(now));
  const merged_from = takenIn(ticket.record, other.record);
  await records.update(other, { merged_from, updated_at: now }, { moves: 'last_activity_at' });
  const changes = changesOf(ticket.record, { status: 'closed' as const, merged_into: body.into });
  const further = { ...resolutionOf(ticket.record, 'closed', now), updated_at: now };
  const merged = await records.update(ticket, { ...changes, ...further }, { moves: 'last_activity_at' });
  return respond.record(merged, ticketAt(now));
};

/** What the other ticket names afterwards. @throws Problem `conflict` or `invalid-body` */
function takenIn(ticket: StoredTicket, into: StoredTicket): string[] {
  if (ticket.id === into.id) throw invalidField('into', 'must be another ticket');
  if (ticket.merged_into) throw new Problem('conflict', { detail: 'The ticket is merged into another one already.' });
  if (into.merged_into) throw invalidField('into', `names a ticket that is merged itself, into ${into.merged_into}`);
  if (ticket.client_id !== null && into.client_id !== null && ticket.client_id !== into.client_id)
    throw invalidField('into', 'names a ticket of another client');
  const all = [...(into.merged_from ?? []), ticket.id, ...(ticket.merged_from ?? [])];
  if (all.length > MOST_MERGED)
    throw invalidField('into', `names a ticket that would take in over ${MOST_MERGED} others`);
  return all;
}

/** Most bytes of a page's texts: with them it ends. */
const MOST_BYTES = 2 * 1_048_576;

interface PageQuery {
  readonly limit: number;
  readonly after: string | undefined;
  readonly newestFirst: boolean;
}

/** The messages of a ticket and of those that are merged into it and not deleted, in order. */
export async function messagesOfAll(tenant: Tenant, ticket: StoredTicket, query: PageQuery) {
  const others = await Promise.all((ticket.merged_from ?? []).map((id) => tenant.records(ticketEntity).get(id)));
  const ids = [ticket.id, ...others.flatMap((other) => other?.record.id ?? [])];
  const lists = ids.map((id) => new MessagesInOrder(tenant, id, query));
  const records: Stored<TicketMessage>[] = [];
  for (let bytes = 0; records.length < query.limit && bytes < MOST_BYTES; ) {
    await Promise.all(lists.map((list) => list.fill()));
    const [first] = lists.filter(({ next }) => next !== undefined).sort(byNext(query));
    if (first === undefined) return { records, next: undefined };
    const message = first.take();
    bytes += Buffer.byteLength(message.record.message);
    records.push(message);
  }
  return { records, next: lists.some((list) => list.hasMore) ? records.at(-1)?.record.id : undefined };
}

const byNext =
  ({ newestFirst }: PageQuery) =>
  (one: MessagesInOrder, other: MessagesInOrder): number =>
    (String(one.next?.item.SK) < String(other.next?.item.SK) ? -1 : 1) * (newestFirst ? -1 : 1);

/** The messages of one ticket, read in parts: first a few, then more and more. */
class MessagesInOrder {
  readonly #messages: ReturnType<typeof messagesOf>;
  readonly #query: PageQuery;
  #read: Stored<TicketMessage>[] = [];
  #after: string | undefined;
  #isAtEnd = false;
  #part = 10;

  constructor(tenant: Tenant, ticketId: string, query: PageQuery) {
    this.#messages = messagesOf(tenant, ticketId);
    this.#query = query;
    this.#after = query.after;
  }

  get next(): Stored<TicketMessage> | undefined {
    return this.#read[0];
  }

  get hasMore(): boolean {
    return this.#read.length > 0 || !this.#isAtEnd;
  }

  /** Reads the next ones where none is left. */
  async fill(): Promise<void> {
    if (this.#read.length > 0 || this.#isAtEnd) return;
    const { limit, newestFirst } = this.#query;
    const page = await this.#messages.cursorPage({
      limit: Math.min(this.#part, limit),
      after: this.#after,
      newestFirst,
    });
    this.#read = [...page.records];
    this.#after = page.next;
    this.#isAtEnd = page.next === undefined;
    this.#part *= 2;
  }

  take(): Stored<TicketMessage> {
    return this.#read.shift() as Stored<TicketMessage>;
  }
}
