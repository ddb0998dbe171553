/**
 * Moves the clock of this process and of those that it starts, for `npm run test:dates`. `TEST_CLOCK` says where to: a number of
 * milliseconds from now, or `before-midnight` for shortly before the next day of UTC begins. Imported by Vitest before every test file
 * (`setup.ts`), and by Node (`--import`) in the processes that tests start. Without `TEST_CLOCK` nothing moves.
 */

const DAY = 86_400_000;
/** Time to load a test file in, before {@link approachMidnight}. In milliseconds. */
const LOADING = 60_000;

interface MovedClock {
  readonly asked: string | undefined;
  readonly realNow: () => number;
  /** How far the clock is ahead of the machine's, in milliseconds. */
  ahead: number;
}

const shared = globalThis as { movedClock?: MovedClock };
// Tests that share a process may load this again (`freshModule`), which must not move the clock a second time.
const isFirst = shared.movedClock === undefined;
shared.movedClock ??= { asked: process.env.TEST_CLOCK, realNow: Date.now, ahead: 0 };
const clock = shared.movedClock;

const { asked, realNow } = clock;
const isBeforeMidnight = asked === 'before-midnight';
if (isFirst && asked !== undefined && asked !== '') {
  replaceDate();
  if (isBeforeMidnight) stopBeforeMidnight(LOADING);
  else advance(Number(asked));
  // On another day DynamoDB's day is another, too. The SDK would take the difference for a wrong clock, and repeat whatever is refused.
  process.env.AWS_DISABLE_CLOCK_SKEW_CORRECTION = 'true';
  if (!process.env.NODE_OPTIONS?.includes(import.meta.url)) {
    process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --import=${import.meta.url}`;
  }
}

/** Where `before-midnight` was asked for: from now on it is so many milliseconds before midnight. */
export function approachMidnight(milliseconds: number): void {
  if (isBeforeMidnight) stopBeforeMidnight(milliseconds);
}

function stopBeforeMidnight(milliseconds: number): void {
  const now = realNow() + clock.ahead;
  advance(clock.ahead + DAY - (now % DAY) - milliseconds);
}

function advance(by: number): void {
  if (!Number.isSafeInteger(by)) throw new TypeError(`TEST_CLOCK=${asked} is no time`);
  clock.ahead = by;
  // Processes started from here are to have the same time as this one.
  process.env.TEST_CLOCK = String(clock.ahead);
}

/** Given dates are unchanged; only the current time is moved. */
function replaceDate(): void {
  const now = (): number => realNow() + clock.ahead;
  const moved = new Proxy(Date, {
    construct: (date, given, asWhat) => Reflect.construct(date, given.length === 0 ? [now()] : given, asWhat),
    apply: (date) => new date(now()).toString(),
  });
  Date.now = now;
  Date.prototype.constructor = moved;
  globalThis.Date = moved;
}
