import { beforeAll, beforeEach, onTestFinished } from 'vitest';
import { approachMidnight } from './moved-clock.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** The days of UTC on which the test began and ended, by the clock of the run. */
    days?: readonly [string, string];
  }
}

/** Taken now, since a test may set the clock and leave it so. */
const now = Date.now;
const today = (): string => new Date(now()).toISOString().slice(0, 10);

/** Most files need longer than this. In milliseconds. */
beforeAll(() => approachMidnight(1_000));

beforeEach(({ task }) => {
  const first = today();
  onTestFinished(() => {
    task.meta.days = [first, today()];
  });
});
