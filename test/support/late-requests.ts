import { randomUUID } from 'node:crypto';
import type { NodeHttpHandler } from '@smithy/node-http-handler';
import { bodyOf, FaultyHandler } from './faults.ts';

type Request = Parameters<NodeHttpHandler['handle']>[0];

/**
 * The SDK's request handler, which holds a chosen request. The test delivers it: late, if its sender gets no response,
 * or again.
 */
export class LateHandler extends FaultyHandler {
  readonly #chosen: (operation: string, body: string) => boolean;
  readonly #hasResponded: boolean;
  #kept: Request | undefined;

  /**
   * @param chosen selects the request to hold; the first match is held
   * @param isAnswered whether it is also carried out at once, and its sender gets the response
   */
  constructor(chosen: (operation: string, body: string) => boolean, hasResponded = false) {
    super();
    this.#chosen = chosen;
    this.#hasResponded = hasResponded;
  }

  /** Delivers the held request, late or again. @param forgotten whether its token was forgotten meanwhile */
  async deliver(forgotten = false): Promise<{ readonly status: number }> {
    if (this.#kept === undefined) throw new Error('no request was kept');
    this.follow(() => undefined);
    const { headers } = this.#kept;
    const body = forgotten
      ? bodyOf(this.#kept).replace(/"ClientRequestToken":"[^"]*"/, `"ClientRequestToken":"${randomUUID()}"`)
      : bodyOf(this.#kept);
    const length = String(Buffer.byteLength(body));
    const request = Object.assign(this.#kept.clone(), { body, headers: { ...headers, 'content-length': length } });
    const { response } = await super.handle(request as Request);
    response.body.resume?.();
    return { status: response.statusCode };
  }

  override async handle(request: Request, options?: Parameters<NodeHttpHandler['handle']>[1]) {
    const operation = (request.headers['x-amz-target'] ?? '').split('.').at(-1) ?? '';
    if (this.#kept === undefined && this.#chosen(operation, bodyOf(request))) {
      this.#kept = request;
      if (!this.#hasResponded) throw Object.assign(new Error('the reply took too long'), { name: 'TimeoutError' });
    }
    return super.handle(request, options);
  }
}
