import { bounded } from '../contract/fields.ts';

/**
 * The form of an integration's secret where the caller supplies it. It keys an HMAC and opens the door (RFC 2104 §3); whether it is hard
 * enough to guess is another question (`secret-strength.ts`).
 */

export const SECRET_LENGTH = { min: 32, max: 256 } as const;

const RULES = `must be ${SECRET_LENGTH.min} to ${SECRET_LENGTH.max} printable ASCII characters`;

/** A supplied secret: long and printable. */
export const suppliedSecret = () =>
  bounded(SECRET_LENGTH.max, RULES)
    .min(SECRET_LENGTH.min, { error: RULES })
    .regex(/^[\x20-\x7e]*$/, { error: RULES });
