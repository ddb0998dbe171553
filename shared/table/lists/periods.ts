/**
 * The periods of a list whose records expire. The head marks the first number of each, `E20869` for the one whose records are gone with that day of
 * the epoch; the list begins at the mark of the oldest period that is still kept. A number belongs to the latest end marked at or below it,
 * whatever its taker's clock says and however long records are kept by now, so that record and list always agree on when it ends.
 */

const MARK = /^E(\d+)$/;
const DAY = 86_400_000;
/** A list has about this many marks at most, however long its records are kept: the head shall stay small. */
const MOST_PERIODS = 32;

type Head = Readonly<Record<string, unknown>>;

export interface Mark {
  /** Day of the epoch at whose beginning the records of the period are gone. */
  readonly end: number;
  /** The first number of the period. */
  readonly first: number;
}

/** Length of a period, in days. */
const lengthOf = (retentionDays: number): number => Math.ceil(retentionDays / MOST_PERIODS);

/** The end of what is written at a time (epoch milliseconds): the last record of its period has been kept its whole time then. */
export const endAt = (time: number, retentionDays: number): number => {
  const length = lengthOf(retentionDays);
  return (Math.floor(time / DAY / length) + 1) * length + retentionDays;
};

/** The attribute that marks the period with this end. */
export const markOf = (end: number): string => `E${end}`;

/** The attribute that marks the period before the one with this end. */
export const markBefore = (end: number, retentionDays: number): string => markOf(end - lengthOf(retentionDays));

/** Marks in the order of their numbers; of those with one number, the oldest first. */
export const marksOf = (head: Head): Mark[] =>
  Object.entries(head)
    .flatMap(([attribute, first]) => {
      const end = MARK.exec(attribute)?.[1];
      return end === undefined ? [] : [{ end: Number(end), first: Number(first) }];
    })
    .sort((a, b) => a.first - b.first || a.end - b.end);

/** As many numbers are given before a noted period that nobody confirms is taken for somebody's wrong clock. */
const PROBATION = 32;

/**
 * A period far beyond the newest mark that one writer alone has seen begin: its clock may be wrong, or the list was idle for longer than records
 * are kept. It counts until enough others have written who do not confirm it (`head.ts`).
 */
export const aheadOf = ({ AHEAD_END: end, AHEAD_FIRST: first, NEXT: next }: Head): Mark | undefined =>
  typeof end === 'number' && typeof first === 'number' && Number(next) - first <= PROBATION
    ? { end, first }
    : undefined;

/** Marks and what is noted, in the order of their numbers. */
function periodsOf(head: Head): Mark[] {
  const ahead = aheadOf(head);
  return [...marksOf(head), ...(ahead === undefined ? [] : [ahead])].sort((a, b) => a.first - b.first);
}

/** The first number that is still kept `now` (epoch milliseconds); `next` when none is. */
export function floorOf(head: Head, next: number, now: number): number {
  const kept = periodsOf(head).find(({ end }) => end * DAY > now);
  return Math.min(kept?.first ?? next, next);
}

/** When the record of a number is gone, in epoch seconds: at the latest end that is marked or noted at or below it. */
export const expiryOf = (head: Head, number: number): number =>
  (periodsOf(head).reduce(
    (latest, { end, first }) => (first <= number ? Math.max(latest, end) : latest),
    Number.NEGATIVE_INFINITY,
  ) *
    DAY) /
  1000;

/** The latest end that is marked. */
export const newestEnd = (head: Head): number =>
  marksOf(head).reduce((latest, { end }) => Math.max(latest, end), Number.NEGATIVE_INFINITY);

/** What keeps a head small. */
export interface Upkeep {
  /** Marks that nobody needs any more. */
  readonly remove: readonly string[];
  /** A mark that begins earlier from now on, as the oldest did that go: what they marked is listed for longer, and never for less. */
  readonly extend?: { readonly mark: string; readonly from: number; readonly to: number };
}

/**
 * What is superfluous in a head. By the numbers of the marks alone, whatever anybody's clock says: marks with an earlier end than one before them,
 * which decide nothing, and the oldest beyond as many as a list can need.
 */
export function upkeepOf(head: Head): Upkeep {
  let latest = Number.NEGATIVE_INFINITY;
  const deciding: Mark[] = [];
  const others: Mark[] = [];
  for (const mark of marksOf(head)) {
    if (mark.end > latest) deciding.push(mark);
    else others.push(mark);
    latest = Math.max(latest, mark.end);
  }
  const oldest = deciding.slice(0, -2 * MOST_PERIODS);
  const remove = [...others, ...oldest].map(({ end }) => markOf(end));
  const [first] = oldest;
  const next = deciding[oldest.length];
  if (first === undefined || next === undefined) return { remove };
  return { remove, extend: { mark: markOf(next.end), from: next.first, to: first.first } };
}
