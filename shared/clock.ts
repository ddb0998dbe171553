/**
 * Tells the time in epoch milliseconds. Whoever needs the time is given a clock and looks at no other, so that all parts of a request
 * agree, and a test can set it.
 */
export type Clock = () => number;

/** The clock of this machine. The entry points pass it in. */
export const systemClock: Clock = () => Date.now();
