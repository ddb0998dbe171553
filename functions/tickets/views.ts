import type { Ticket, TicketSummary } from './contract.ts';

/** How a list shows a ticket. */

type Details = Omit<Ticket, keyof Shown>;
/** The fields that every view has. */
type Shown = { [F in keyof TicketSummary as undefined extends TicketSummary[F] ? never : F]: TicketSummary[F] };

/** The fields that only the view `full` has; null in a ticket that is older than the field. */
const NO_DETAILS: { readonly [F in keyof Details]: null } = {
  resource_id: null,
  terminal_id: null,
  assigned_team: null,
  tags: null,
  custom_fields: null,
  updated_at: null,
  last_activity_at: null,
};

/** @param view a value of `parameter.view()` */
export const ticketInView = (ticket: Ticket, view: 'summary' | 'full'): TicketSummary =>
  view === 'full' ? { ...NO_DETAILS, ...ticket } : { ...ticket, ...HIDDEN };

/** Responses leave out undefined fields. */
const HIDDEN = Object.fromEntries(Object.keys(NO_DETAILS).map((field) => [field, undefined]));
