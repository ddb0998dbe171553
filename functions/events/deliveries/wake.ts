/** In how many seconds an endpoint needs another turn; undefined: when somebody says so. */
export type Wake = number | undefined;

export const NOBODY: Wake = undefined;
export const AT_ONCE: Wake = 0;

/** Whole seconds, after a time in milliseconds; none after one that has passed, as where the worker was paused since: the queue takes no less. */
export const secondsOf = (wait: number): number => Math.max(0, Math.floor(wait / 1_000) + 1);
