import { callOperation, routeTable, runToCommit } from '#http';
import type { Caller } from '#identity';
import { StaleRead, type Tenant } from '#table';
import { isBlank } from '../../shared/words.ts';
import { tickets } from '../tickets/contract.ts';
import { ticketOperations } from '../tickets/operations.ts';
import { messagesOf, resolutionOf, ticketEntity } from '../tickets/store.ts';
import type { Alert } from './alert.ts';
import { fieldsOf, type Mapping } from './references.ts';
import type { Named } from './state/episodes.ts';
import { isUntouched, requireNothingAdded } from './state/untouched.ts';

/** The tickets of alerts. */

const creation = routeTable(tickets, ticketOperations).get('POST /api/v1/tickets');

export interface Sender {
  readonly tenant: Tenant;
  readonly caller: Caller;
}

/** What a new ticket has. */
export interface TicketFields extends Awaited<ReturnType<typeof fieldsOf>> {
  readonly subject: string;
  readonly description: string;
}

/**
 * The ticket that an alert is to have.
 * @param before the ticket of the episode before
 */
export const ticketOf = async (
  tenant: Tenant,
  alert: Alert,
  mapping: Mapping,
  before: Named | undefined,
): Promise<TicketFields> => ({
  ...(await fieldsOf(tenant, alert, mapping)),
  subject: subjectOf(alert),
  description: descriptionOf(alert, before),
});

/** Stages a ticket. */
export async function openTicket({ tenant, caller }: Sender, fields: TicketFields): Promise<Named> {
  if (creation === undefined) throw new TypeError('no route creates tickets');
  const context = { tenant, caller, session: tenant.session };
  const body = { ...fields, source: SOURCE };
  const { response } = await callOperation(creation, { params: {}, body }, context, (refusal) => refusal);
  const { id, ticket_code } = response.body as { readonly id: string; readonly ticket_code: string };
  return { ticket_id: id, ticket_code };
}

const SOURCE = 'monitoring';

const SUBJECT = 200;

/** One line. */
function subjectOf({ summary, shown }: Alert): string {
  const line = summary
    .slice(0, 2 * SUBJECT)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, SUBJECT)
    .toWellFormed();
  return isBlank(line) ? `Alert ${shown}`.slice(0, SUBJECT).toWellFormed() : line;
}

/** Most characters of each part. */
const LONGEST = 4_000;

function descriptionOf({ description, labels, link }: Alert, before: Named | undefined): string {
  const listed = Array.from(labels, ([name, value]) => `${name}: ${value.slice(0, LINE)}`).join('\n');
  const last = before?.ticket_code ? `It fired before: ${before.ticket_code}.` : '';
  return [description, listed, link, last]
    .map((part) => part.slice(0, LONGEST).toWellFormed())
    .filter((part) => part !== '')
    .join('\n\n');
}

const LINE = 300;

/**
 * Stages that a ticket says that its alert is over, and is closed: unless it was changed, or has messages or
 * attachments, since the alert opened it.
 * @param id of a ticket that may be deleted by now
 */
export async function closeTicket(sender: Sender, id: string): Promise<void> {
  const { tenant } = sender;
  const { timestamp } = tenant.session;
  const records = tenant.records(ticketEntity);
  const stored = await records.get(id);
  if (stored === undefined) return;
  const isAsOpened = isUntouched(stored);
  if (isAsOpened) {
    requireNothingAdded(tenant, stored);
    const closed = { status: 'closed', ...resolutionOf(stored.record, 'closed', timestamp) } as const;
    await records.update(stored, { ...closed, updated_at: timestamp }, { moves: 'last_activity_at' });
  } else records.derived.move(stored, 'last_activity_at', () => new StaleRead('the ticket is deleted'));
  await stageMessage(sender, id, isAsOpened || stored.record.status === 'closed' ? OVER : STAYS_OPEN);
}

const OVER = 'The alert is over.';
const STAYS_OPEN = `${OVER} The ticket stays open, because it was changed since the alert opened it.`;

const MESSAGE = 10_000;

function stageMessage({ tenant, caller }: Sender, ticket_id: string, text: string) {
  const [message, created_at] = [text.slice(0, MESSAGE).toWellFormed(), tenant.session.timestamp];
  const written = { author_type: 'system', author_id: caller.id, is_internal: true };
  const fields = { ...written, ticket_id, message, created_at, edited_at: null, removed_at: null };
  return messagesOf(tenant, ticket_id).create({ fields });
}

/** Writes a message at once. */
export const writeMessage = async (sender: Sender, ticketId: string, text: string): Promise<void> => {
  const { tenant } = sender;
  const isThere = (await tenant.records(ticketEntity).get(ticketId)) !== undefined;
  if (isThere) await runToCommit(tenant.session, () => stageMessage(sender, ticketId, text));
};
