import { connect, type Socket } from 'node:net';
import { HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { localConnection } from '#local-dynamodb';
import { refusalOfEmptyKey } from './empty-keys.ts';

type Handle = NodeHttpHandler['handle'];
type Request = Parameters<Handle>[0];

/**
 * Makes the SDK's request handlers call this engine over plain sockets, which takes half the CPU time of Node's HTTP
 * client: most of a quick test is calls of its table. Both engines say how long a response is. Timeouts of
 * handlers do not apply. Calls of other servers stay Node's.
 */
export function usePlainSockets(address: string): void {
  // Once in a worker: a test may have put a spy in its place.
  if (engine === undefined) NodeHttpHandler.prototype.handle = handleOverSocket;
  engine = new URL(localConnection(address).endpoint).host;
}

let engine: string | undefined;
const byNode = NodeHttpHandler.prototype.handle;

const handleOverSocket: Handle = function (this: NodeHttpHandler, request, options) {
  if (`${request.hostname}:${request.port}` !== engine) return byNode.call(this, request, options);
  const refusal = refusalOfEmptyKey(request);
  if (refusal !== undefined) return Promise.resolve(refusal);
  return (idle.pop() ?? new Connection(connect(request.port ?? 80, request.hostname))).send(request, options);
};

/** Connections without a call. They stay open for the life of the process. */
const idle: Connection[] = [];

/** A connection that carries one call at a time. */
class Connection {
  readonly #socket: Socket;
  #call: PromiseWithResolvers<Awaited<ReturnType<Handle>>> | undefined;
  #parts: Buffer[] = [];
  /** Of the response whose parts have come, once its headers have. */
  #missingBytes = 0;

  constructor(socket: Socket) {
    this.#socket = socket.setNoDelay().unref();
    socket.on('data', (bytes) => this.#receive(bytes));
    socket.on('error', (error) => this.#call?.reject(error));
    socket.on('close', () => {
      this.#call?.reject(hungUp());
      const index = idle.indexOf(this);
      if (index >= 0) idle.splice(index, 1);
    });
  }

  async send(request: Request, options: Parameters<Handle>[1]): ReturnType<Handle> {
    const abortSignal = options?.abortSignal as AbortSignal | undefined;
    const call = Promise.withResolvers<Awaited<ReturnType<Handle>>>();
    this.#call = call;
    const abort = () => {
      call.reject(new DOMException('Request aborted', 'AbortError'));
      this.#socket.destroy();
    };
    if (abortSignal?.aborted) abort();
    else this.#socket.write(textOf(request), (error) => void (error && call.reject(hungUp())));
    if (abortSignal === undefined) return call.promise;
    abortSignal.addEventListener('abort', abort);
    return call.promise.finally(() => abortSignal.removeEventListener('abort', abort));
  }

  #receive(bytes: Buffer): void {
    this.#parts.push(bytes);
    this.#missingBytes -= bytes.length;
    if (this.#missingBytes > 0) return;
    const received = this.#parts.length === 1 ? bytes : Buffer.concat(this.#parts);
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const [status = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n');
    const headers = Object.fromEntries(lines.map(headerOf));
    const bodyEnd = headEnd + 4 + Number(headers['content-length']);
    this.#missingBytes = bodyEnd - received.length;
    if (this.#missingBytes > 0) return;
    const body = received.subarray(headEnd + 4, bodyEnd);
    const call = this.#call;
    this.#call = undefined;
    this.#parts = [];
    this.#missingBytes = 0;
    idle.push(this);
    call?.resolve({ response: new HttpResponse({ statusCode: Number(status.split(' ')[1]), headers, body }) });
  }
}

/** What Node's HTTP client says, too; the SDK tries again. */
const hungUp = (): Error => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

const headerOf = (line: string): [string, string] => {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
};

function textOf({ method, path, headers, body }: Request): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`;
}
