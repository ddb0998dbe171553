import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { listening } from '../../../support/listening.ts';

/**
 * Lambda's side of one execution environment: the runtime API, from which the runtime takes its invocations and to which it reports.
 * https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */

export interface Invocation {
  readonly requestId: string;
  /** The event, as JSON. */
  readonly payload: string;
  /** Epoch milliseconds. */
  readonly deadline: number;
  readonly functionArn: string;
  readonly traceId: string;
}

/** An error of a function, in the shape that Lambda gives it. */
export const functionErrorSchema = z.strictObject({
  errorType: z.string(),
  errorMessage: z.string(),
  trace: z.array(z.string()).optional(),
});

export type FunctionErrorBody = z.infer<typeof functionErrorSchema>;

/** What came of an invocation. */
export type Outcome = { readonly payload: string } | { readonly error: FunctionErrorBody };

const VERSION = '/2018-06-01/runtime/';

export class RuntimeApi {
  /** What the runtime has asked for and reported, in order: `GET invocation/next`, `POST invocation/<id>/response` … */
  readonly calls: string[] = [];
  /** What kept the runtime from taking its first invocation. */
  initError: FunctionErrorBody | undefined;
  readonly #server: Server;
  #current: (Invocation & { readonly settle: (outcome: Outcome) => void }) | undefined;
  #isTaken = false;
  #waiting: ServerResponse | undefined;
  #address = '';

  private constructor() {
    this.#server = createServer((request, response) => void this.#reply(request, response));
  }

  static async start(): Promise<RuntimeApi> {
    const api = new RuntimeApi();
    api.#address = await listening(api.#server);
    return api;
  }

  /** For `AWS_LAMBDA_RUNTIME_API`. */
  get address(): string {
    return new URL(this.#address).host;
  }

  /** Hands an invocation to the runtime, now or when it asks for one. One at a time. */
  invoke(invocation: Invocation): Promise<Outcome> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#current = { ...invocation, settle: resolve };
    this.#isTaken = false;
    this.#hand();
    return promise;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.startsWith(VERSION) ? request.url.slice(VERSION.length) : '';
    this.calls.push(`${request.method} ${path}`);
    if (this.calls.at(-1) === 'GET invocation/next') {
      this.#waiting = response;
      return this.#hand();
    }
    const body = await text(request);
    const [, id = '', report] = /^invocation\/([^/]+)\/(response|error)$/.exec(path) ?? [];
    if (path === 'init/error' && !this.calls.includes('GET invocation/next')) {
      this.initError = functionErrorSchema.parse(JSON.parse(body));
    } else if (this.#isTaken && decodeURIComponent(id) === this.#current?.requestId) {
      this.#settle(report === 'response' ? { payload: body } : { error: functionErrorSchema.parse(JSON.parse(body)) });
    } else {
      response
        .writeHead(400)
        .end(JSON.stringify({ errorType: 'InvalidRequestID', errorMessage: 'Invalid request ID' }));
      return;
    }
    response.writeHead(202).end(JSON.stringify({ status: 'OK' }));
  }

  #settle(outcome: Outcome): void {
    this.#current?.settle(outcome);
    this.#current = undefined;
  }

  #hand(): void {
    if (this.#current === undefined || this.#waiting === undefined) return;
    const { requestId, deadline, functionArn, traceId, payload } = this.#current;
    this.#waiting
      .writeHead(200, {
        'Content-Type': 'application/json',
        'Lambda-Runtime-Aws-Request-Id': requestId,
        'Lambda-Runtime-Deadline-Ms': deadline,
        'Lambda-Runtime-Invoked-Function-Arn': functionArn,
        'Lambda-Runtime-Trace-Id': traceId,
      })
      .end(payload);
    this.#waiting = undefined;
    this.#isTaken = true;
  }
}
