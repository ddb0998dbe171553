import type { Message, Queue } from '../../functions/events/deliveries/queue.ts';

type Sent = Message & { readonly delaySeconds?: number };

interface Waiting {
  readonly message: Message;
  /** How often it has been received. */
  readonly receives: number;
}

interface Running {
  readonly key: string;
  readonly tenant: string;
  readonly work: Promise<void>;
}

interface QueueOptions {
  /** Works on a message. A message is received again where it rejects. */
  readonly work: (message: Message) => Promise<unknown>;
  /** Called with why a message has failed for the last time. */
  readonly onGivenUp: (error: unknown) => void;
}

/** Messages that are worked on at the same time. */
export const AT_ONCE = 4;
/**
 * How long a message that failed waits, in seconds, and how often it is received: sooner than in the stack, and as
 * often.
 */
const RETRY_SECONDS = 30;
const MOST_RECEIVES = 5;

/**
 * The queue of deliveries on this machine, in memory. As SQS's fair queues, it prefers tenants of whose messages the
 * fewest are worked on. Of like messages only one waits: it has not looked at the journal yet. Those of a tenant are
 * worked on side by side, so that a slow endpoint delays no other; those of an endpoint one after the other.
 */
export class LocalQueue implements Queue {
  readonly #options: QueueOptions;
  readonly #waiting = new Map<string, Waiting>();
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #running = new Set<Running>();
  #isClosed = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  async send(messages: readonly Sent[]): Promise<void> {
    for (const { delaySeconds = 0, ...message } of messages) this.#receive({ message, receives: 0 }, delaySeconds);
  }

  /** Drops what waits. Resolves when the work under way has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#waiting.clear();
    await Promise.all(Array.from(this.#running, ({ work }) => work));
  }

  #receive(waiting: Waiting, delaySeconds: number): void {
    if (this.#isClosed) return;
    if (delaySeconds > 0) {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        this.#receive(waiting, 0);
      }, delaySeconds * 1_000).unref();
      this.#timers.add(timer);
      return;
    }
    const { tenant, endpointId = '' } = waiting.message;
    const key = `${tenant}#${endpointId}`;
    if (!this.#waiting.has(key)) this.#waiting.set(key, waiting);
    this.#startNext();
  }

  #startNext(): void {
    while (this.#running.size < AT_ONCE) {
      const [key, waiting] = this.#next() ?? [];
      if (key === undefined || waiting === undefined) return;
      this.#waiting.delete(key);
      const work = this.#run(waiting).finally(() => {
        this.#running.delete(running);
        this.#startNext();
      });
      const running = { key, tenant: waiting.message.tenant, work };
      this.#running.add(running);
    }
  }

  /** The oldest message of the tenants with the least under way. */
  #next(): [string, Waiting] | undefined {
    const running = Array.from(this.#running);
    const underWay = (of: string): number => running.filter(({ tenant }) => tenant === of).length;
    return Array.from(this.#waiting)
      .filter(([key, { message }]) => message.endpointId === undefined || !running.some((other) => other.key === key))
      .toSorted(([, one], [, other]) => underWay(one.message.tenant) - underWay(other.message.tenant))[0];
  }

  async #run({ message, receives }: Waiting): Promise<void> {
    try {
      await this.#options.work(message);
    } catch (error) {
      if (this.#isClosed) return;
      if (receives + 1 < MOST_RECEIVES) this.#receive({ message, receives: receives + 1 }, RETRY_SECONDS);
      else this.#options.onGivenUp(error);
    }
  }
}
