import type { NodeHttpHandler } from '@smithy/node-http-handler';
import { bodyOf, FaultyHandler } from './faults.ts';

type Request = Parameters<NodeHttpHandler['handle']>[0];

interface Pause {
  readonly isMet: (operation: string, text: string) => boolean;
  readonly reach: () => void;
  readonly released: Promise<void>;
}

/** A call that waits where it is until it is released. */
export interface Paused {
  /** Resolves once the call is there. */
  readonly reached: Promise<void>;
  readonly release: () => void;
}

/** The SDK's request handler, which can delay chosen calls, as the network or a sleeping process may. */
export class PausingHandler extends FaultyHandler {
  readonly #pauses: Pause[] = [];

  /** Delays the next call of this operation whose body, as sent, contains a text. */
  pauseBefore(operation: string, text = ''): Paused {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.#pauses.push({
      isMet: (called, body) => called === operation && body.includes(text),
      reach: reached.resolve,
      released: released.promise,
    });
    return { reached: reached.promise, release: released.resolve };
  }

  override async handle(request: Request, options?: Parameters<NodeHttpHandler['handle']>[1]) {
    const operation = (request.headers['x-amz-target'] ?? '').split('.').at(-1) ?? '';
    const body = bodyOf(request);
    const index = this.#pauses.findIndex(({ isMet }) => isMet(operation, body));
    const [pause] = index < 0 ? [] : this.#pauses.splice(index, 1);
    pause?.reach();
    await pause?.released;
    return super.handle(request, options);
  }
}
