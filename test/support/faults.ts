import { Readable } from 'node:stream';
import { HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';

/**
 * Faults between the SDK and DynamoDB: below the SDK's own retries, where a network has its faults. A plan maps calls
 * to faults. Calls are counted from 0; every attempt of the SDK is a call.
 */
export type Fault =
  /** The request never arrives: the connection is reset. */
  | 'dropped'
  /** The request is carried out, its reply is lost: the connection is reset. */
  | 'reply-lost'
  /** The request is carried out, its reply comes too late. */
  | 'timeout'
  /** DynamoDB throttles; nothing is carried out. */
  | 'throttled'
  /** Carried out, the reply is lost, and DynamoDB is restarted: it no longer knows tokens of transactions. */
  | 'forgotten'
  /** DynamoDB fails before carrying it out. */
  | 'server-error'
  /** DynamoDB carries it out and then fails. */
  | 'applied-server-error'
  /** A conflict: a transaction with another, or a single write with a transaction. Reads are not affected. */
  | 'conflict'
  /** The process ends before the call: this and all later calls fail. */
  | 'crash'
  /** The process ends after the call. */
  | 'crash-after';

export type Plan = (call: { readonly index: number; readonly operation: string }) => Fault | undefined;

type Handled = ReturnType<NodeHttpHandler['handle']>;
type Request = Parameters<NodeHttpHandler['handle']>[0];
type Options = Parameters<NodeHttpHandler['handle']>[1];

/** The SDK's own request handler, with faults. */
export class FaultyHandler extends NodeHttpHandler {
  plan: Plan = () => undefined;
  /** The operations called so far, in order: `PutItem`, `Query` … */
  readonly calls: string[] = [];
  #dead = false;
  #isForgetful = false;

  /** Resets the calls and sets a new plan. */
  follow(plan: Plan): void {
    this.plan = plan;
    this.calls.length = 0;
    this.#dead = false;
    this.#isForgetful = false;
  }

  override async handle(request: Request, options?: Options): Handled {
    const operation = (request.headers['x-amz-target'] ?? '').split('.').at(-1) ?? '';
    const index = this.calls.push(operation) - 1;
    const fault = this.#dead ? 'crash' : this.plan({ index, operation });
    if (this.#isForgetful && operation === 'TransactWriteItems') forgetToken(request);
    switch (fault) {
      case undefined:
        return super.handle(request, options);
      case 'forgotten':
        this.#isForgetful = true;
        await this.#carryOut(request, options);
        throw reset();
      case 'dropped':
        throw reset();
      case 'reply-lost':
        await this.#carryOut(request, options);
        throw reset();
      case 'timeout':
        await this.#carryOut(request, options);
        throw Object.assign(new Error('the reply took too long'), { name: 'TimeoutError' });
      case 'throttled':
        return failure(400, 'com.amazonaws.dynamodb.v20120810#ThrottlingException', 'Rate exceeded');
      case 'server-error':
        return failure(500, 'com.amazonaws.dynamodb.v20120810#InternalServerError', 'Internal server error');
      case 'applied-server-error':
        await this.#carryOut(request, options);
        return failure(500, 'com.amazonaws.dynamodb.v20120810#InternalServerError', 'Internal server error');
      case 'conflict':
        return conflictOf(operation) ?? super.handle(request, options);
      case 'crash':
        this.#dead = true;
        throw new Crash();
      case 'crash-after':
        this.#dead = true;
        await this.#carryOut(request, options);
        throw new Crash();
    }
  }

  /** Sends a request and discards its reply. An unread reply would hold one of the SDK's fifty connections. */
  async #carryOut(request: Request, options?: Options): Promise<void> {
    const { response } = await super.handle(request, options);
    if (response.body instanceof Readable) response.body.resume();
  }
}

/** A request's body as sent. */
export const bodyOf = ({ body }: Request): string =>
  typeof body === 'string' ? body : new TextDecoder().decode(body as Uint8Array);

/** Makes DynamoDB treat a transaction as new. The engines check no signature. */
function forgetToken(request: Request): void {
  const { ClientRequestToken: _, ...rest } = JSON.parse(bodyOf(request)) as Readonly<Record<string, unknown>>;
  request.body = JSON.stringify(rest);
  request.headers['content-length'] = String(Buffer.byteLength(request.body as string));
}

/** The error in an ending process, which nothing handles. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

const reset = (): Error => Object.assign(new Error('read ECONNRESET'), { name: 'Error', code: 'ECONNRESET' });

function conflictOf(operation: string) {
  const prefix = 'com.amazonaws.dynamodb.v20120810#';
  if (operation === 'TransactWriteItems') {
    return failure(400, `${prefix}TransactionCanceledException`, 'Transaction cancelled [TransactionConflict]', {
      CancellationReasons: [{ Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' }],
    });
  }
  return ['PutItem', 'UpdateItem', 'DeleteItem'].includes(operation)
    ? failure(400, `${prefix}TransactionConflictException`, 'Transaction is ongoing for the item')
    : undefined;
}

export const failure = (status: number, type: string, message: string, more: object = {}) =>
  reply(status, { __type: type, message, Message: message, ...more });

/** DynamoDB's response. */
export function reply(statusCode: number, content: object) {
  const body = Buffer.from(JSON.stringify(content));
  return {
    response: new HttpResponse({ statusCode, headers: { 'content-type': 'application/x-amz-json-1.0' }, body }),
  };
}
