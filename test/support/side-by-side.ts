import { setImmediate as nextTurn } from 'node:timers/promises';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { work } from '../../functions/events/deliveries/work.ts';
import type { DeliveryWorld } from './delivery-world.ts';

/**
 * Workers of deliveries side by side, in virtual time: calls of receivers take their time, calls of the table take
 * none. Time passes once nobody waits for the table.
 */
export class SideBySide {
  readonly #world: DeliveryWorld;
  readonly #workers: number;
  readonly #table = new CountingHandler();
  readonly #running = new Set<Promise<void>>();
  #asleep: { readonly at: number; readonly wakeUp: () => void }[] = [];

  constructor(world: DeliveryWorld, workers: number) {
    this.#world = world;
    this.#workers = workers;
    world.elapse = (milliseconds) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#asleep.push({ at: world.now + milliseconds, wakeUp: resolve });
      return promise;
    };
  }

  /**
   * Works until then, or until there is nothing to do. Calls may be under way at the end: the next run goes on with
   * them.
   */
  async run(until: number): Promise<void> {
    const world = this.#world;
    for (;;) {
      do await this.#table.idle();
      while (this.#start());
      const due = this.#running.size < this.#workers ? world.queue.nextDue : Number.POSITIVE_INFINITY;
      const next = Math.min(due, ...this.#asleep.map(({ at }) => at));
      if (next > until) break;
      world.now = Math.max(world.now, next);
      for (const { wakeUp } of this.#asleep.filter(({ at }) => at <= world.now)) wakeUp();
      this.#asleep = this.#asleep.filter(({ at }) => at > world.now);
    }
    world.now = Math.max(world.now, until);
  }

  #start(): boolean {
    const next = this.#running.size < this.#workers ? this.#world.queue.next(this.#world.now) : undefined;
    if (next === undefined) return false;
    const one = work(next.message, this.#world.worker(this.#table))
      .catch((error: unknown) => {
        this.#world.failures.push(error);
        this.#world.queue.putBack(next);
      })
      .finally(() => this.#running.delete(one));
    this.#running.add(one);
    return true;
  }
}

/** Knows how many calls are under way, with the bodies of their responses. */
class CountingHandler extends NodeHttpHandler {
  #underWay = 0;

  override async handle(...call: Parameters<NodeHttpHandler['handle']>): ReturnType<NodeHttpHandler['handle']> {
    this.#underWay += 1;
    try {
      return await super.handle(...call);
    } finally {
      this.#underWay -= 1;
    }
  }

  /** Resolves when no call is under way, and none follows at once. */
  async idle(): Promise<void> {
    for (let quiet = 0; quiet < 10; quiet = this.#underWay === 0 ? quiet + 1 : 0) await nextTurn();
  }
}
