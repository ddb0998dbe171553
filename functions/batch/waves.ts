import type { Problem } from '#contract';
import { refusalOfCaller } from '#http';
import type { Caller } from '#identity';
import type { RequestSession } from '#table';
import { logger } from '#telemetry';
import { WAVE } from './limits.ts';

/**
 * Checks the caller once for each wave of operations, up to 40 that begin within a second: whoever ends a key or its
 * tokens ends what is left of its batches, too.
 */
export class Waves {
  readonly #caller: Caller;
  readonly #session: RequestSession;
  #checking: Promise<Problem | undefined> = Promise.resolve(undefined);
  #left = 0;
  #until = 0;
  #hasEnded = false;

  constructor(caller: Caller, session: RequestSession) {
    this.#caller = caller;
    this.#session = session;
  }

  /** The problem with which the next operation is refused; undefined where it may begin. */
  refusal(): Promise<Problem | undefined> {
    const now = this.#session.clock();
    if (!this.#hasEnded && (this.#left === 0 || now >= this.#until)) {
      this.#checking = this.#check();
      this.#left = WAVE.operations;
      this.#until = now + WAVE.within;
    }
    this.#left -= 1;
    return this.#checking;
  }

  async #check(): Promise<Problem | undefined> {
    const refusal = await refusalOfCaller(this.#caller, this.#session);
    if (refusal !== undefined && refusal.status >= 500)
      logger.error('the caller of a batch cannot be checked', { error: refusal.cause as Error });
    else this.#hasEnded = refusal !== undefined;
    return refusal;
  }
}
