import * as z from 'zod';

/** What an integration's secret must be where the caller supplies it. It keys an HMAC and opens the door: RFC 2104 §3, issue 5. */

export const SECRET_LENGTH = { min: 32, max: 256 } as const;

const RULES = `must be ${SECRET_LENGTH.min} to ${SECRET_LENGTH.max} printable ASCII characters`;

/** A supplied secret: long, printable, and not one part over and over. */
export const suppliedSecret = () =>
  z
    .string()
    .min(SECRET_LENGTH.min, { error: RULES })
    .max(SECRET_LENGTH.max, { error: RULES })
    .regex(/^[\x20-\x7e]*$/, { error: RULES })
    .refine((secret) => !isRepetition(secret), { error: 'must not be one part repeated' });

/** Whether a text is one part over and over, the last time perhaps cut short: `aaaa`, `abcabcab`. */
export function isRepetition(text: string): boolean {
  for (let period = 1; period <= text.length / 2; period++) {
    if (text.startsWith(text.slice(period))) return true;
  }
  return false;
}
