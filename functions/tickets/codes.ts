/** Ticket codes, unique in a tenant: given by the caller or made of the ordinal (`docs/decisions/0031-tickets.md`). */

const DIGITS = 6;

/** The code of the ticket with this ordinal: `T-000042`, or `T-000042-2` if a caller has already used that code. */
export function generatedCode({
  ordinal,
  collisions,
}: {
  /** Counted from 1. */
  readonly ordinal: number;
  /** How often a generated code of this request was already taken. */
  readonly collisions: number;
}): string {
  const code = `T-${String(ordinal).padStart(DIGITS, '0')}`;
  return collisions === 0 ? code : `${code}-${collisions + 1}`;
}
