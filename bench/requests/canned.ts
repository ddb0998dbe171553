import { HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { bodyOf } from '../../test/support/faults.ts';

type Request = Parameters<NodeHttpHandler['handle']>[0];

interface Call {
  /** `DynamoDB_20120810.GetItem` */
  readonly target: string;
  readonly body: string;
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly reply: Uint8Array;
}

/** A shared bucket that is not used by anybody else (`shared/tenancy/request-budget.ts`). */
const FLUSHED = new TextEncoder().encode('{"Attributes":{"FULL_AT":{"N":"0"}}}');
const isFlushing = ({ target, body }: Pick<Call, 'target' | 'body'>): boolean =>
  target.endsWith('.UpdateItem') && body.includes('#BUDGET"');

/**
 * The SDK's request handler. It first sends requests to an engine, whatever host they name, and records the responses,
 * so that clients are made as in production. Then it replays the responses without a socket. It recognizes a request by
 * its exact body, or, where bodies contain new ids and times, by its operation.
 */
export class CannedHandler extends NodeHttpHandler {
  readonly #engine: URL;
  #recorded: Call[] | undefined = [];
  #replies: ReadonlyMap<string, Call> = new Map();

  constructor(engine: string) {
    super({});
    this.#engine = new URL(engine);
  }

  /** Does something on the engine and returns its calls to the table. */
  async record(work: () => Promise<unknown>): Promise<readonly Call[]> {
    const recorded: Call[] = [];
    this.#recorded = recorded;
    await work();
    return recorded;
  }

  /** Replays the recorded responses from now on. */
  replay(calls: readonly Call[]): void {
    this.#recorded = undefined;
    const byTarget = Map.groupBy(calls, ({ target }) => target);
    this.#replies = new Map([
      ...calls.map((call) => [call.target + call.body, call] as const),
      ...Array.from(byTarget).flatMap(([target, [call, ...others]]) =>
        call !== undefined && others.length === 0 ? [[target, call] as const] : [],
      ),
    ]);
  }

  override async handle(request: Request): ReturnType<NodeHttpHandler['handle']> {
    const target = request.headers['x-amz-target'] ?? '';
    const body = bodyOf(request);
    if (this.#recorded !== undefined) return this.#forward(request, { target, body }, this.#recorded);
    const call = this.#replies.get(target + body) ?? this.#replies.get(target);
    if (isFlushing({ target, body })) return { response: new HttpResponse({ statusCode: 200, body: FLUSHED }) };
    if (call === undefined) throw new Error(`nothing was recorded for ${target} ${body}`);
    const { statusCode, headers, reply } = call;
    return { response: new HttpResponse({ statusCode, headers: { ...headers }, body: reply }) };
  }

  async #forward(request: Request, sent: Pick<Call, 'target' | 'body'>, recorded: Call[]) {
    const { protocol, hostname, port, host } = this.#engine;
    // DynamoDB Local refuses requests to other hosts.
    const headers = { ...request.headers, host };
    const { response } = await super.handle(
      Object.assign(request, { protocol, hostname, port: Number(port), path: '/', headers }),
    );
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk as Uint8Array);
    const reply = new Uint8Array(Buffer.concat(chunks));
    const { statusCode } = response;
    if (!isFlushing(sent)) recorded.push({ ...sent, statusCode, headers: response.headers, reply });
    return { response: new HttpResponse({ statusCode, headers: { ...response.headers }, body: reply }) };
  }
}
