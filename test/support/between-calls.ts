import { setImmediate } from 'node:timers/promises';
import type { NodeHttpHandler } from '@smithy/node-http-handler';
import { FaultyHandler } from './faults.ts';

type Arguments = Parameters<NodeHttpHandler['handle']>;

interface Waiting {
  readonly call: Arguments;
  readonly carriedOut: PromiseWithResolvers<Awaited<ReturnType<NodeHttpHandler['handle']>>>;
}

/**
 * The SDK's request handler, which carries out one call at a time, those that were sent together in any order, and
 * lets others work before each: every interleaving of a reader with writers can be chosen.
 */
export class BetweenCallsHandler extends FaultyHandler {
  readonly #pick: (count: number) => number;
  readonly #before: (index: number) => Promise<void>;
  readonly #waiting: Waiting[] = [];
  #isBusy = false;
  /** The calls carried out so far. */
  count = 0;

  /** @param pick which of so many calls is next @param before is awaited before each call, with its index */
  constructor(pick: (count: number) => number, before: (index: number) => Promise<void>) {
    super();
    this.#pick = pick;
    this.#before = before;
  }

  override handle(...call: Arguments) {
    const carriedOut = Promise.withResolvers<Awaited<ReturnType<NodeHttpHandler['handle']>>>();
    this.#waiting.push({ call, carriedOut });
    if (!this.#isBusy) void this.#work();
    return carriedOut.promise;
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    for (await setImmediate(); this.#waiting.length > 0; await setImmediate()) {
      const [next] = this.#waiting.splice(this.#pick(this.#waiting.length), 1);
      if (next === undefined) throw new RangeError('no such call is waiting');
      await this.#before(this.count++);
      await super.handle(...next.call).then(next.carriedOut.resolve, next.carriedOut.reject);
    }
    this.#isBusy = false;
  }
}
