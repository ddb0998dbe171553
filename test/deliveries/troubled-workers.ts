import { ids } from '@custodia/counted-lists';
import type { Call, Outcome } from '../../functions/events/deliveries/ports.ts';
import type { Message } from '../../functions/events/deliveries/queue.ts';
import { work } from '../../functions/events/deliveries/work.ts';
import { LEASE_MS } from '../../functions/events/state/lease.ts';
import { ConflictingHandler, type Conflicts } from '../support/conflicts.ts';
import type { DeliveryWorld, Endpoint } from '../support/delivery-world.ts';
import type { Fault } from '../support/faults.ts';
import { Crash } from '../support/faults.ts';
import type { Random } from '../support/random.ts';

/**
 * Workers that die at any call, sleep for longer than their lease, and are there twice; and what receivers make of
 * their calls.
 */

/** The chances of what goes wrong. */
export interface Trouble {
  /** That a worker dies, at a call of the table or while it waits for a receiver. */
  readonly death: number;
  /** That it sleeps before or after a call of a receiver, for longer than its lease, while another worker is woken. */
  readonly sleep: number;
  /** That a message is worked on twice at the same time. */
  readonly twins: number;
  /** That a call of the table meets a fault of the network or of DynamoDB. */
  readonly fault: number;
  /** That a receiver refuses a call. */
  readonly refusal: number;
  /** That the response of a receiver, which has accepted, is lost. */
  readonly lostResponse: number;
}

export const NO_TROUBLE: Trouble = { death: 0, sleep: 0, twins: 0, fault: 0, refusal: 0, lostResponse: 0 };

/** More calls of the table than a worker's turn makes before it ends. */
const CALLS = 40;

const FAULTS: readonly Fault[] = [
  ...(['dropped', 'reply-lost', 'timeout', 'throttled', 'forgotten'] as const),
  ...(['server-error', 'applied-server-error', 'conflict'] as const),
];

/** A call that a receiver has accepted. */
interface Accepted {
  readonly numbers: readonly number[];
  readonly by: Worker;
  /** Whether the worker got no response. */
  readonly isLost: boolean;
}

interface Worker {
  /**
   * Why what it delivers may be delivered again, or was delivered before: it died, failed, or slept for longer than its
   * lease.
   */
  isExcused: boolean;
  /** Ends it: none of its calls arrives from now on. */
  readonly die: () => void;
}

export class Workers {
  trouble: Trouble = NO_TROUBLE;
  readonly accepted = new Map<Endpoint, Accepted[]>();
  readonly #world: DeliveryWorld;
  readonly #conflicts: Conflicts;
  readonly #random: Random;
  readonly #awake = new Set<Worker>();
  /** Who makes the call that a receiver gets: it responds before anything else happens. */
  #caller: Worker | undefined;
  #deadlyCall = 0;

  constructor(world: DeliveryWorld, conflicts: Conflicts, random: Random) {
    this.#world = world;
    this.#conflicts = conflicts;
    this.#random = random;
  }

  /** Notes what the receiver of an endpoint accepts. */
  watch(endpoint: Endpoint): void {
    const accepted: Accepted[] = [];
    this.accepted.set(endpoint, accepted);
    endpoint.receiver.responds = ({ events }): Outcome => {
      const by = this.#caller;
      if (by === undefined) throw new Error('nobody called');
      if (this.#random.chance(this.trouble.refusal)) {
        return { status: this.#random.oneOf([500, 503, 429, 404, 302]) };
      }
      const isLost = this.#random.chance(this.trouble.lostResponse);
      accepted.push({ numbers: events.map(({ id }) => ids.numberOf(id)), by, isLost });
      return isLost ? { error: 'timeout' } : { status: 204 };
    };
  }

  /** Works on messages until none is due before the time. */
  async run(until: number): Promise<void> {
    const { queue } = this.#world;
    for (let message = queue.next(until); message !== undefined; message = queue.next(until)) {
      this.#world.now = Math.max(this.#world.now, message.at);
      const workers = [message.message, ...(this.#random.chance(this.trouble.twins) ? [message.message] : [])];
      const ended = await Promise.all(workers.map((each) => this.#work(each)));
      if (!ended.includes(true)) queue.putBack(message);
    }
  }

  /** @returns whether it came to its end, so that the message is deleted */
  async #work(message: Message): Promise<boolean> {
    const handler = new ConflictingHandler(this.#conflicts);
    const worker: Worker = {
      isExcused: false,
      die: () => {
        worker.isExcused = true;
        handler.follow(() => 'crash');
      },
    };
    const deadlyCall = this.#random.chance(this.trouble.death) ? this.#deadlyCall++ % CALLS : undefined;
    handler.plan = ({ index }) => {
      if (index === deadlyCall) {
        worker.isExcused = true;
        return this.#random.oneOf(['crash', 'crash-after']);
      }
      return this.#random.chance(this.trouble.fault) ? this.#random.oneOf(FAULTS) : undefined;
    };
    const { send, ...others } = this.#world.worker(handler);
    this.#awake.add(worker);
    try {
      await work(message, { ...others, send: (call) => this.#send(call, send, worker, message) });
      return true;
    } catch {
      worker.isExcused = true;
      return false;
    } finally {
      this.#awake.delete(worker);
    }
  }

  async #send(
    call: Call,
    send: (call: Call) => Promise<Outcome>,
    worker: Worker,
    { tenant }: Message,
  ): Promise<Outcome> {
    if (this.#random.chance(this.trouble.sleep / 2)) await this.#sleep(tenant);
    this.#caller = worker;
    const outcome = send(call);
    this.#caller = undefined;
    if (this.#random.chance(this.trouble.death / 10)) {
      worker.die();
      throw new Crash();
    }
    if (this.#random.chance(this.trouble.sleep / 2)) await this.#sleep(tenant);
    return outcome;
  }

  /** All workers sleep, their leases end, and a new one is woken. */
  async #sleep(tenant: string): Promise<void> {
    for (const worker of this.#awake) worker.isExcused = true;
    this.#world.now += LEASE_MS + 1_000;
    const { trouble } = this;
    this.trouble = NO_TROUBLE;
    await this.#work({ tenant });
    this.trouble = trouble;
  }

  /**
   * Accepted events that were accepted before, without an excuse: neither of the two workers died, failed or slept, and
   * the response to the earlier call arrived.
   */
  repeatsWithoutExcuse(endpoint: Endpoint): number {
    const before = new Map<number, Accepted[]>();
    let found = 0;
    for (const each of this.accepted.get(endpoint) ?? []) {
      for (const number of each.numbers) {
        const earlier = before.get(number) ?? [];
        if (!each.by.isExcused) found += earlier.filter(({ by, isLost }) => !by.isExcused && !isLost).length;
        before.set(number, [...earlier, each]);
      }
    }
    return found;
  }

  /** The numbers of accepted events, each where it came first. */
  firstNumbers(endpoint: Endpoint): number[] {
    return [...new Set((this.accepted.get(endpoint) ?? []).flatMap(({ numbers }) => numbers))];
  }
}
