import { unique } from '#contract';
import * as field from '#contract/field';

/** Words of clients and of the records that belong to them. */

/** The only health status that is not a risk (spec §3). */
export const HEALTHY = 'healthy';

/** The statuses of tickets are a closed set: the list's filter has these three values (spec §4). */
export const TICKET_STATUSES = ['open', 'closed', 'pending'] as const;

/** A ticket is overdue when its time has passed and it is not closed. */
export const TICKET_OVERDUE = { time: 'due_at', among: { status: ['open', 'pending'] } } as const;

/** How another system names a record. */
const identifier = () => unique(field.identifier(500, 1));

/** The field `external_id` of a record. */
export const externalId = () => identifier().nullable().default(null);

/** The filter `external_id` of a list. @param one which record it finds: `client` */
export const withExternalId = (one: string) =>
  identifier().optional().describe(`Only the ${one} with exactly this external id.`);
