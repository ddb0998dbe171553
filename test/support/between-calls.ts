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

  readonly #atOnce: number | undefined;

  /**
   * @param pick which of so many calls is next
   * @param before is awaited before each call, with its index
   * @param atOnce the most items that a query returns, as DynamoDB returns at most 1 MB
   */
  constructor(pick: (count: number) => number, before: (index: number) => Promise<void>, atOnce?: number) {
    super();
    this.#pick = pick;
    this.#before = before;
    this.#atOnce = atOnce;
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
      await super.handle(...this.#limited(next.call)).then(next.carriedOut.resolve, next.carriedOut.reject);
    }
    this.#isBusy = false;
  }

  #limited([request, options]: Arguments): Arguments {
    if (this.#atOnce === undefined || !request.headers['x-amz-target']?.endsWith('.Query')) return [request, options];
    const { Limit = this.#atOnce, ...query } = JSON.parse(String(request.body));
    request.body = JSON.stringify({ ...query, Limit: Math.min(Limit, this.#atOnce) });
    request.headers['content-length'] = String(Buffer.byteLength(request.body));
    return [request, options];
  }
}
