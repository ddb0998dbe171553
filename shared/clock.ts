/**
 * The time in epoch milliseconds. Code that needs the time is given a clock and uses no other, so that all parts of a
 * request agree and tests can set it.
 */
export type Clock = () => number;

/** Until when to try. */
export interface TimeLimit {
  readonly clock: Clock;
  /** On that clock, in epoch milliseconds. */
  readonly deadline: number;
}

/**
 * How far clocks of containers may be apart, in milliseconds. If a time in the table is further in the future, the
 * writer's clock is wrong, or this one is (`docs/decisions/0160-clocks.md`).
 */
export const CLOCKS_DIFFER_MS = 5_000;

const DAY_MS = 86_400_000;

/** The day of UTC, as a number of the epoch. `time` in epoch milliseconds. */
export const dayOf = (time: number): number => Math.floor(time / DAY_MS);

/** `2026-11-20`, of a day of the epoch. */
export const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** The clock of this machine. The entry points pass it in. */
export const systemClock: Clock = () => Date.now();
