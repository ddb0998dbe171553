import type { Clock } from '../../shared/clock.ts';

/** A clock that shows `time` (epoch milliseconds) now and goes on from there. */
export const clockAt = (time: number): Clock => {
  const ahead = time - Date.now();
  return () => Date.now() + ahead;
};
