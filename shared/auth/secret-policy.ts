import * as field from '#contract/field';

/**
 * The form of a secret that the caller supplies. It is the key of an HMAC (RFC 2104 §3) and the password of a login. Its strength is checked
 * in `secret-strength.ts`.
 */

export const SECRET_LENGTH = { min: 32, max: 256 } as const;

const RULES = `must be ${SECRET_LENGTH.min} to ${SECRET_LENGTH.max} printable ASCII characters`;

export const suppliedSecret = () =>
  field
    .bounded(SECRET_LENGTH.max, RULES)
    .min(SECRET_LENGTH.min, { error: RULES })
    .regex(/^[\x20-\x7e]*$/, { error: RULES });
