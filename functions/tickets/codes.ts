import type { NewRecordPlace } from '#table';

/** Ticket codes: unique in a tenant, given by the caller or generated from the ticket's ordinal (`docs/decisions/0031-tickets.md`). */

const DIGITS = 6;

/** The code of the ticket at this place: `T-000042`, or `T-000042-2` if that code was given by a caller already. */
export function generatedCode({ ordinal, collisions }: Pick<NewRecordPlace, 'ordinal' | 'collisions'>): string {
  const code = `T-${String(ordinal).padStart(DIGITS, '0')}`;
  return collisions === 0 ? code : `${code}-${collisions + 1}`;
}
