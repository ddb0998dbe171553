import { MAX_RESPONSE } from '#contract/gateway';
import { escapedSize, fitsEscaped } from '#json';

/** Upper bound for everything in a list response except its records. In bytes. */
const ENVELOPE = 1_000;

/** Whether one response can carry a body. */
export const isDeliverable = (body: string): boolean => fitsEscaped(body, MAX_RESPONSE);

/** How many of these values, from the first on, one list response can carry. */
export function countDeliverable(values: readonly unknown[]): number {
  if (fitsEscaped(JSON.stringify(values), MAX_RESPONSE - ENVELOPE)) return values.length;
  let size = ENVELOPE;
  const beyond = values.findIndex((value) => {
    size += escapedSize(JSON.stringify(value));
    return size > MAX_RESPONSE;
  });
  return beyond < 0 ? values.length : beyond;
}
