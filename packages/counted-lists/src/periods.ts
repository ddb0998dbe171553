/**
 * The periods of a list whose records expire. The counter item marks the first number of each period: the attribute
 * `E20869` is for the period whose records expire at the beginning of that day of the epoch. The list begins at the
 * mark of the oldest unexpired period. A number expires at the latest end that is marked at or below it, whatever its
 * writer's clock says and even if the retention was changed, so that record and list always agree.
 */

const MARK = /^E(\d+)$/;
const DAY = 86_400_000;
/** Most periods of a list, for any retention, so that the counter item stays small. */
const MOST_PERIODS = 32;

type CounterItem = Readonly<Record<string, unknown>>;

interface Mark {
  /** Day of the epoch at whose beginning the records of the period expire. */
  readonly end: number;
  /** The first number of the period. */
  readonly first: number;
}

/** Length of a period, in days. */
const lengthOf = (retentionDays: number): number => Math.ceil(retentionDays / MOST_PERIODS);

/** When the period of a time (epoch milliseconds) ends: its last record has then been kept for the retention. */
export const endAt = (time: number, retentionDays: number): number => {
  const length = lengthOf(retentionDays);
  return (Math.floor(time / DAY / length) + 1) * length + retentionDays;
};

/** The attribute that marks the period with this end. */
export const markOf = (end: number): string => `E${end}`;

/** The attribute that marks the period before the one with this end. */
export const markBefore = (end: number, retentionDays: number): string => markOf(end - lengthOf(retentionDays));

/** Marks sorted by number, then by end. */
export const marksOf = (counter: CounterItem): Mark[] =>
  Object.entries(counter)
    .flatMap(([attribute, first]) => {
      const end = MARK.exec(attribute)?.[1];
      return end === undefined ? [] : [{ end: Number(end), first: Number(first) }];
    })
    .sort((a, b) => a.first - b.first || a.end - b.end);

/** A noted period that is not confirmed within so many allocations is attributed to a wrong clock, and ignored. */
const CONFIRMATION_WINDOW = 32;

/**
 * A noted period: far beyond the newest mark, and seen by only one writer. Either its clock is wrong, or the list was
 * idle for longer than the retention. It counts until enough other writers have not confirmed it (`counter-item.ts`).
 */
export function aheadOf(counter: CounterItem): Mark | undefined {
  const { AHEAD_END: end, AHEAD_FIRST: first, AHEAD_IN_RANGES: inRanges = 0 } = counter;
  if (typeof end !== 'number' || typeof first !== 'number') return undefined;
  const since = allocationsUpTo(counter.NEXT, counter.IN_RANGES) - allocationsUpTo(first, inRanges);
  return since <= CONFIRMATION_WINDOW ? { end, first } : undefined;
}

/** How many allocations there were, of one number or a range (`allocation.ts`). */
const allocationsUpTo = (next: unknown, inRanges: unknown = 0): number => Number(next) - Number(inRanges);

/** Marks and the noted period, sorted by number. */
function periodsOf(counter: CounterItem): Mark[] {
  const ahead = aheadOf(counter);
  return [...marksOf(counter), ...(ahead === undefined ? [] : [ahead])].sort((a, b) => a.first - b.first);
}

/** The first unexpired number at `now` (epoch milliseconds); `next` when there is none. */
export function floorOf(counter: CounterItem, next: number, now: number): number {
  const kept = periodsOf(counter).find(({ end }) => end * DAY > now);
  return Math.min(kept?.first ?? next, next);
}

/** Expiry of a number's record in epoch seconds: the latest end that is marked or noted at or below it. */
export const expiryOfNumber = (counter: CounterItem, number: number): number =>
  (periodsOf(counter).reduce(
    (latest, { end, first }) => (first <= number ? Math.max(latest, end) : latest),
    Number.NEGATIVE_INFINITY,
  ) *
    DAY) /
  1000;

/** The latest end that is marked. */
export const newestEnd = (counter: CounterItem): number =>
  marksOf(counter).reduce((latest, { end }) => Math.max(latest, end), Number.NEGATIVE_INFINITY);

/**
 * The superfluous marks of a counter item: those with an earlier end than a mark before them, which have no effect, and
 * the oldest ones beyond the number that a list can need. Independent of clocks.
 * @returns `remove`: these; `extend`: a mark that must begin as early as the oldest removed one, so that the removed
 * periods are kept longer, never shorter
 */
export function compactionOf(counter: CounterItem) {
  let latest = Number.NEGATIVE_INFINITY;
  const effective: Mark[] = [];
  const others: Mark[] = [];
  for (const mark of marksOf(counter)) {
    if (mark.end > latest) effective.push(mark);
    else others.push(mark);
    latest = Math.max(latest, mark.end);
  }
  const oldest = effective.slice(0, -2 * MOST_PERIODS);
  const remove = [...others, ...oldest].map(({ end }) => markOf(end));
  const [first] = oldest;
  const next = effective[oldest.length];
  if (first === undefined || next === undefined) return { remove, extend: undefined };
  return { remove, extend: { mark: markOf(next.end), from: next.first, to: first.first } };
}
