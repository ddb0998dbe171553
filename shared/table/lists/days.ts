/**
 * The days of a list whose records expire. Its head marks the first number of each day, `D2026-11-20`; the list begins at the mark of
 * the oldest day that is still kept.
 */

const DAY_MARK = /^D(\d{4}-\d{2}-\d{2})$/;
const MILLISECONDS_A_DAY = 86_400_000;

type Head = Readonly<Record<string, unknown>>;

export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The first day of which a list that keeps `days` whole days still holds records. */
export const oldestDay = (days: number, now: number): string => dayOf(now - days * MILLISECONDS_A_DAY);

/** When the records of a day are gone, in epoch seconds: the midnight that ends the last of the days they are kept. */
export const expiryOf = (day: string, days: number): number =>
  (Date.parse(`${day}T00:00:00Z`) + (days + 1) * MILLISECONDS_A_DAY) / 1000;

const marksOf = (head: Head): [day: string, first: number][] =>
  Object.entries(head).flatMap(([attribute, first]) => {
    const day = DAY_MARK.exec(attribute)?.[1];
    return day === undefined ? [] : [[day, Number(first)]];
  });

/** The first number of a list that is still kept; the next to be given out when all are gone. */
export const floorOf = (head: Head, next: number, oldest: string): number =>
  marksOf(head).reduce((floor, [day, first]) => (day >= oldest ? Math.min(floor, first) : floor), next);

/** The day a number counts under: clocks differ about midnight, so the list's marks decide, not the taker's clock. */
export const dayOfNumber = (head: Head, number: number): string | undefined =>
  marksOf(head)
    .flatMap(([day, first]) => (first <= number ? [day] : []))
    .sort()
    .at(-1);

/** Whether an attribute of the head marks a day that nobody needs any more. One day of grace, for clocks differ. */
export function isGone(attribute: string, oldest: string): boolean {
  const day = DAY_MARK.exec(attribute)?.[1];
  return day !== undefined && day < dayOf(Date.parse(oldest) - MILLISECONDS_A_DAY);
}
