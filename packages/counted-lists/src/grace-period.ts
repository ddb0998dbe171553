import { AT, type Item } from './schema.ts';

/**
 * Whether the grace period of a number's writer is over. It only spares active writers a second attempt: a writer whose
 * number is fenced takes another one. So a wrong clock only costs an attempt.
 */

/**
 * Grace period of a writer before readers fence its number: `time` in milliseconds, or `numbers` that were allocated
 * later, those of about a hundred writers with a range each.
 */
const GRACE_PERIOD = { time: 5_000, numbers: 5_000 };

/**
 * How long a number without a record is left to readers, who close it when they come to it. Until then it is no damage:
 * a request that got no response leaves such a number, and so does one that was refused often.
 */
export const LEFT_TO_READERS = { time: 86_400_000, numbers: Number.POSITIVE_INFINITY };

/**
 * Whether the grace period of a number's writer is over: since the list's last number was allocated, or since a record
 * or tombstone with a later number was written (`settled`, see {@link settledUpTo}). There is no grace period when the
 * clocks of writer and reader disagree. The last parameter is another period: {@link LEFT_TO_READERS}.
 */
export const isOverdue = (
  { [AT]: at, NEXT: next }: Item,
  number: number,
  now: number,
  settled = -1,
  { time, numbers } = GRACE_PERIOD,
): boolean => isPast(Number(at ?? 0), now, time) || Number(next ?? 0) - number > numbers || number < settled;

/**
 * The highest number whose record or tombstone was written longer ago than the grace period; -1 if there is none.
 * Numbers are allocated in order, so the grace period of the writers of all lower numbers is over.
 * @param createdAt the field with the time of a record's creation
 * @param now epoch milliseconds
 */
export function settledUpTo(
  items: Iterable<readonly [number, Item]>,
  createdAt: string,
  now: number,
  { time }: Pick<typeof GRACE_PERIOD, 'time'> = GRACE_PERIOD,
): number {
  let settled = -1;
  for (const [number, item] of items) {
    const at = item[AT] ?? Date.parse(String(item[createdAt]));
    if (number > settled && isPast(Number(at), now, time)) settled = number;
  }
  return settled;
}

/** Whether a time, in epoch milliseconds, is so long ago. Not for an unknown one, which is no number. */
export const isPast = (time: number, now: number, period: number = GRACE_PERIOD.time): boolean =>
  Math.abs(now - time) >= period;
