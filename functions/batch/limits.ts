/** The limits of a batch. */

/** Most operations. */
export const MOST_OPERATIONS = 200;

/** Most parameters of an operation: more than any has. */
export const MOST_PARAMETERS = 20;

/** Longest parameter, in characters. */
export const MAX_PARAMETER = 500;

/** Operations that are carried out at the same time. */
export const AT_ONCE = 8;

/** A check of the caller holds for so many operations, which begin within so many milliseconds. */
export const WAVE = { operations: 40, within: 1_000 } as const;

/** After so long no operation is begun, in milliseconds. */
export const BEGIN_WITHIN = 12_000;

/** When the time of every operation is over, in milliseconds from the start: the response follows within 24 s. */
export const END_WITHIN = 22_000;

/** Most bytes of bodies and errors in a response, as Lambda's result escapes them. That may have 6 MB. */
export const MOST_RETURNED = 4_000_000;
