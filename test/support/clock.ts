import type { Clock } from '../../shared/clock.ts';

/** A clock that shows `time` (epoch milliseconds) now and goes on from there. */
export const clockAt = (time: number): Clock => {
  const ahead = time - Date.now();
  return () => Date.now() + ahead;
};

/** Noon (UTC) of this day, in epoch milliseconds: no day ends soon, and no engine deletes by its own time what a test stores. */
export const noonOfToday = (): number => new Date().setUTCHours(12, 0, 0, 0);
