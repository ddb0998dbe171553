import { NodeHttpHandler } from '@smithy/node-http-handler';

type Request = Parameters<NodeHttpHandler['handle']>[0];
type Options = Parameters<NodeHttpHandler['handle']>[1];

interface Held {
  readonly operation: string;
  readonly arrived: PromiseWithResolvers<() => void>;
}

/** The SDK's own request handler, which can delay a call, so that two requests run in a chosen order. */
export class GatedHandler extends NodeHttpHandler {
  #next: Held | undefined;

  /**
   * Delays the next call of an operation (`TransactWriteItems`); later calls pass.
   * @returns when it has arrived, a function that releases it
   */
  hold(operation: string): Promise<() => void> {
    const arrived = Promise.withResolvers<() => void>();
    this.#next = { operation, arrived };
    return arrived.promise;
  }

  override async handle(request: Request, options?: Options): ReturnType<NodeHttpHandler['handle']> {
    const operation = (request.headers['x-amz-target'] ?? '').split('.').at(-1) ?? '';
    if (this.#next?.operation === operation) {
      const { arrived } = this.#next;
      this.#next = undefined;
      const released = Promise.withResolvers<void>();
      arrived.resolve(released.resolve);
      await released.promise;
    }
    return super.handle(request, options);
  }
}
