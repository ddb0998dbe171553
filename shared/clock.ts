/**
 * The time in epoch milliseconds. Code that needs the time is given a clock and uses no other, so that all parts of a request agree and tests
 * can set it.
 */
export type Clock = () => number;

/** The clock of this machine. The entry points pass it in. */
export const systemClock: Clock = () => Date.now();
