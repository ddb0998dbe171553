/** The longest that a function waits for its warm start, in milliseconds. */
export const WARM_START_PATIENCE = 500;

type Timers = Pick<typeof globalThis, 'setTimeout' | 'clearTimeout'>;

/**
 * Takes these steps while Lambda loads the function, at full CPU, so that its first request finds a connection and code
 * that has run (`docs/decisions/0054-what-functions-load.md`). Only a bundle calls it (`infra/bundling/bundle.ts`). It
 * never throws, and after 500 ms it waits no longer: whatever a step did not do, the first request does.
 * @param steps get a signal that is aborted then, so that no call is left to go on when Lambda freezes the function
 */
export async function warmStart(
  steps: readonly ((signal: AbortSignal) => Promise<unknown>)[],
  timers: Timers = { setTimeout, clearTimeout },
): Promise<void> {
  const { promise: patience, resolve } = Promise.withResolvers<void>();
  const giveUp = new AbortController();
  const timer = timers.setTimeout(() => {
    giveUp.abort();
    resolve();
  }, WARM_START_PATIENCE);
  await Promise.race([Promise.allSettled(steps.map(async (step) => step(giveUp.signal))), patience]);
  timers.clearTimeout(timer);
}
