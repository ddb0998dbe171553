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

/** A shared bucket that is not used by anybody else (`shared/tenancy/budget/stored-budget.ts`). */
const FLUSHED = new TextEncoder().encode('{"Attributes":{"FULL_AT":{"N":"0"}}}');
const isFlushing = ({ target, body }: Pick<Call, 'target' | 'body'>): boolean =>
  target.endsWith('.UpdateItem') && body.includes('#BUDGET"');

/**
 * The SDK's request handler. It first sends requests to an engine, whatever host they name, and records the responses,
 * so that clients are made as in production. Then it replays the responses without a socket. It recognizes a request by
 * its exact body, or, where bodies contain new ids and times, by its operation, and by the first partition key that it
 * names where one operation is called for several.
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
    this.#replies = new Map([
      ...calls.map((call) => [call.target + call.body, call] as const),
      ...onlyOnes(calls, ({ target, body }) => target + partitionIn(body)),
      ...onlyOnes(calls, ({ target }) => target),
    ]);
  }

  override async handle(request: Request): ReturnType<NodeHttpHandler['handle']> {
    const target = request.headers['x-amz-target'] ?? '';
    const body = bodyOf(request);
    if (this.#recorded !== undefined) return this.#forward(request, { target, body }, this.#recorded);
    const keys = [target + body, target + partitionIn(body), target];
    const call = keys.map((key) => this.#replies.get(key)).find((found) => found !== undefined);
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

/** The calls that are the only ones with their key, by it. */
const onlyOnes = (calls: readonly Call[], keyOf: (call: Call) => string): (readonly [string, Call])[] =>
  Array.from(Map.groupBy(calls, keyOf)).flatMap(([key, [call, ...others]]) =>
    call !== undefined && others.length === 0 ? [[key, call] as const] : [],
  );

/** The first partition key that a request names. */
const partitionIn = (body: string): string => /"PK":(\{"S":"[^"]*"\})/.exec(body)?.[1] ?? '';
