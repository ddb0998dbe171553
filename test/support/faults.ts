import { Readable } from 'node:stream';
import { HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';

/**
 * Faults between the SDK and DynamoDB: below the SDK's own retries, where a network has its faults. A plan says what happens to
 * which call; calls are counted from 0, every attempt of the SDK being a call.
 */
export type Fault =
  /** The request never arrives: the connection is reset. */
  | 'dropped'
  /** The request is carried out, its reply is lost: the connection is reset. */
  | 'reply-lost'
  /** The request is carried out, its reply comes too late. */
  | 'timeout'
  /** DynamoDB refuses for load; nothing is carried out. */
  | 'throttled'
  /** Carried out, the reply is lost, and DynamoDB is started again: it knows no token of a transaction any more. */
  | 'forgotten'
  /** DynamoDB fails before carrying it out. */
  | 'server-error'
  /** DynamoDB carries it out and then fails. */
  | 'applied-server-error'
  /** A transaction meets another; a single write meets a transaction. Reads are left alone. */
  | 'conflict'
  /** The process dies before the call: this and every later call of it. */
  | 'crash'
  /** The process dies after the call. */
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

  /** Forgets the calls and follows a new plan. */
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

  /** Sends a request whose reply nobody will read. Left unread it would hold its connection, and the SDK has fifty of them. */
  async #carryOut(request: Request, options?: Options): Promise<void> {
    const { response } = await super.handle(request, options);
    if (response.body instanceof Readable) response.body.resume();
  }
}

/** A request's body as it is sent. */
export const bodyOf = ({ body }: Request): string =>
  typeof body === 'string' ? body : new TextDecoder().decode(body as Uint8Array);

/** Has a transaction carried out as one that was never sent before: the engines check no signature. */
function forgetToken(request: Request): void {
  const { ClientRequestToken: _, ...rest } = JSON.parse(bodyOf(request)) as Readonly<Record<string, unknown>>;
  request.body = JSON.stringify(rest);
  request.headers['content-length'] = String(Buffer.byteLength(request.body as string));
}

/** What a dying process sees: nothing it could handle. */
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

const failure = (status: number, type: string, message: string, more: object = {}) =>
  reply(status, { __type: type, message, Message: message, ...more });

/** What DynamoDB would answer. */
export function reply(statusCode: number, content: object) {
  const body = Buffer.from(JSON.stringify(content));
  return {
    response: new HttpResponse({ statusCode, headers: { 'content-type': 'application/x-amz-json-1.0' }, body }),
  };
}
