/**
 * The periods of a list whose records expire. The head marks the first number of each, `P20778` for the one that begins on that day of the epoch;
 * the list begins at the mark of the oldest period that is still kept. A number belongs to the latest period marked at or below it, whatever its
 * taker's clock says, so that record and list always agree on when it ends.
 */

const MARK = /^P(\d+)$/;
const DAY = 86_400_000;
/** A list has about this many marks at most, however long its records are kept: the head shall stay small. */
const MOST_PERIODS = 32;

type Head = Readonly<Record<string, unknown>>;

export interface Mark {
  /** Day of the epoch that the period begins on. */
  readonly day: number;
  /** The first number of the period. */
  readonly first: number;
}

/** Length of a period, in days. */
const lengthOf = (retentionDays: number): number => Math.ceil(retentionDays / MOST_PERIODS);

/** The first day of the period that a time (epoch milliseconds) lies in. */
export const periodAt = (time: number, retentionDays: number): number => {
  const length = lengthOf(retentionDays);
  return Math.floor(time / DAY / length) * length;
};

/** The attribute that marks the period which begins on this day. */
export const markOf = (day: number): string => `P${day}`;

/** The attribute that marks the period before the one that begins on this day. */
export const markBefore = (day: number, retentionDays: number): string => markOf(day - lengthOf(retentionDays));

/** Marks in the order of their numbers; of those with one number, the oldest first. */
export const marksOf = (head: Head): Mark[] =>
  Object.entries(head)
    .flatMap(([attribute, first]) => {
      const day = MARK.exec(attribute)?.[1];
      return day === undefined ? [] : [{ day: Number(day), first: Number(first) }];
    })
    .sort((a, b) => a.first - b.first || a.day - b.day);

/** As many numbers are given before a noted period that nobody confirms is taken for somebody's wrong clock. */
const PROBATION = 32;

/**
 * A period far beyond the newest mark that one writer alone has seen begin: its clock may be wrong, or the list was idle for longer than records
 * are kept. It counts until enough others have written who do not confirm it (`head.ts`).
 */
export const aheadOf = ({ AHEAD_DAY: day, AHEAD_FIRST: first, NEXT: next }: Head): Mark | undefined =>
  typeof day === 'number' && typeof first === 'number' && Number(next) - first <= PROBATION
    ? { day, first }
    : undefined;

/** Marks and what is noted, in the order of their numbers. */
function periodsOf(head: Head): Mark[] {
  const ahead = aheadOf(head);
  return [...marksOf(head), ...(ahead === undefined ? [] : [ahead])].sort((a, b) => a.first - b.first);
}

/** The first number that is still kept `now` (epoch milliseconds); `next` when none is. */
export function floorOf(head: Head, next: number, retentionDays: number, now: number): number {
  const kept = periodsOf(head).find(({ day }) => endOf(day, retentionDays) * 1000 > now);
  return Math.min(kept?.first ?? next, next);
}

/** When the records of a period are gone, in epoch seconds: the last of them has been kept its whole time then. */
export const endOf = (day: number, retentionDays: number): number =>
  ((day + lengthOf(retentionDays) + retentionDays) * DAY) / 1000;

/** The latest day that is marked or noted at or below a number. */
export const dayOfNumber = (head: Head, number: number): number =>
  periodsOf(head).reduce(
    (latest, { day, first }) => (first <= number ? Math.max(latest, day) : latest),
    Number.NEGATIVE_INFINITY,
  );

/** The latest day that is marked. */
export const newestDay = (head: Head): number =>
  marksOf(head).reduce((latest, { day }) => Math.max(latest, day), Number.NEGATIVE_INFINITY);

/**
 * Marks that nobody needs any more. By their numbers alone, whatever anybody's clock says: those with an older day than one before them, which
 * decide nothing, and the oldest beyond as many as a list can need.
 */
export function superfluousMarks(head: Head): string[] {
  let latest = Number.NEGATIVE_INFINITY;
  const deciding: Mark[] = [];
  const others: Mark[] = [];
  for (const mark of marksOf(head)) {
    if (mark.day > latest) deciding.push(mark);
    else others.push(mark);
    latest = Math.max(latest, mark.day);
  }
  return [...others, ...deciding.slice(0, -2 * MOST_PERIODS)].map(({ day }) => markOf(day));
}
