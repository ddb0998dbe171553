import { escapedSize, fitsEscaped, MAX_ANSWER } from '../../contract/sizes.ts';

/** What one answer can carry. */

/** What stands around the records of a list, and more. In bytes. */
const ENVELOPE = 1_000;

/** Whether a body can be carried. */
export const isDeliverable = (body: string): boolean => fitsEscaped(body, MAX_ANSWER);

/** How many of these values, from the first on, can be carried together in a list. */
export function countDeliverable(values: readonly unknown[]): number {
  if (fitsEscaped(JSON.stringify(values), MAX_ANSWER - ENVELOPE)) return values.length;
  let size = ENVELOPE;
  const beyond = values.findIndex((value) => {
    size += escapedSize(JSON.stringify(value));
    return size > MAX_ANSWER;
  });
  return beyond < 0 ? values.length : beyond;
}
