/** Words of the records that belong to clients, by which these are counted. */

/** The only health status that is not a risk (spec §3). */
export const HEALTHY = 'healthy';

/** The statuses of tickets are a closed set: the list's filter has these three values (spec §4). */
export const TICKET_STATUSES = ['open', 'closed', 'pending'] as const;

/** A ticket is overdue when its time has passed and it is not closed. */
export const TICKET_OVERDUE = { time: 'due_at', among: { status: ['open', 'pending'] } } as const;
