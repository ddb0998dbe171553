import { NotUnique, StaleRead } from '../../shared/table/errors.ts';
import { uniqueKey } from '../../shared/table/keys.ts';
import type { Session } from '../../shared/table/session.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import type { Ticket } from './contract.ts';
import { ticketEntity } from './store.ts';

/**
 * Ticket codes: each once in a tenant, given by the caller or made from the ticket's place in the sequence
 * (`docs/decisions/0030-ticket-codes.md`).
 */

const DIGITS = 6;

/** How often a generated code was found taken in a session: the pipeline runs the operation again, and the code tries the next suffix. */
const clashes = new WeakMap<Session, number>();

/** The code of the ticket at this place: `T-000042`, or `T-000042-2` where somebody gave that code by hand. */
export function generatedCode(session: Session, ordinal: number): string {
  const code = `T-${String(ordinal).padStart(DIGITS, '0')}`;
  const clashed = clashes.get(session) ?? 0;
  return clashed === 0 ? code : `${code}-${clashed + 1}`;
}

/**
 * Stages that this ticket alone has its code. A taken code is a 409 when the caller chose it ({@link NotUnique}); a generated one
 * is tried again with a suffix ({@link StaleRead}).
 */
export function claimCode(tenant: Tenant, ticket: Ticket, chosenBy: 'caller' | 'service'): void {
  const { session } = tenant;
  session.work.put({ ...codeKey(tenant, ticket), holder: ticket.id }, () => {
    if (chosenBy === 'caller') return new NotUnique('ticket_code');
    clashes.set(session, (clashes.get(session) ?? 0) + 1);
    return new StaleRead('the generated ticket code is taken');
  });
}

/** Stages that the code of a ticket is free again. */
export function releaseCode(tenant: Tenant, ticket: Ticket): void {
  tenant.session.work.delete(codeKey(tenant, ticket), {}, () => new StaleRead('the ticket has changed'));
}

const codeKey = (tenant: Tenant, ticket: Ticket) =>
  uniqueKey(tenant.id, ticketEntity.name, 'ticket_code', ticket.ticket_code);
