import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { endpointAndKey, withAccessKey } from '../../local/dynamodb/client.ts';
import type { Paused } from '../support/pauses.ts';

/** A network between servers and their DynamoDB, in which calls are lost, late, repeated, held up, and answered with what was true before. */

export type Fate =
  | 'pass'
  /** It never arrives. */
  | 'dropped'
  /** It is carried out, and the connection breaks. */
  | 'reply-lost'
  /** The same, and DynamoDB forgets the token of the transaction. */
  | 'forgotten'
  /** The connection breaks; it is carried out later, when the caller has long sent it again. */
  | 'late'
  /** The same, and DynamoDB has forgotten the token by then. */
  | 'late-forgotten'
  /** It is carried out, and once more later. */
  | 'repeated'
  /** The same, and DynamoDB has forgotten the token by then. */
  | 'repeated-forgotten'
  /** An eventually consistent read is answered as an earlier one was. */
  | 'stale'
  /** A transaction meets another. */
  | 'conflict';

/** A call of a server. Calls of each server are counted from 0. */
export interface Call {
  readonly server: number;
  readonly index: number;
  readonly operation: string;
}

interface Arrived extends Call {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

interface Gate {
  readonly isMet: (call: Arrived) => boolean;
  readonly reach: () => void;
  readonly released: Promise<void>;
}

/** Calls that pass before one that is late is delivered. */
const CALLS_DELAYED = 12;
/** Earlier replies that are kept to answer with. */
const KEPT_REPLIES = 500;

export class FaultyNetwork {
  /** What becomes of each call. */
  decide: (call: Call) => Fate = () => 'pass';
  /** How often each fate was met. */
  readonly met = new Map<Fate, number>();
  readonly #engine: URL;
  readonly #accessKeyId: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #listeners: Server[] = [];
  #gates: Gate[] = [];
  #late: { readonly call: Arrived; after: number }[] = [];
  readonly #forgotten = new Set<string>();
  readonly #replies = new Map<string, Reply>();

  constructor(endpoint: string) {
    const { endpoint: engine, accessKeyId } = endpointAndKey(endpoint);
    this.#engine = new URL(engine);
    this.#accessKeyId = accessKeyId;
  }

  /** An endpoint for one server. */
  async endpointFor(server: number): Promise<string> {
    let index = 0;
    const listener = createServer((incoming, outgoing) => {
      this.#handle({ server, index: index++ }, incoming, outgoing).catch(() => outgoing.destroy());
    });
    this.#listeners.push(listener);
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return withAccessKey(`http://127.0.0.1:${(listener.address() as AddressInfo).port}`, this.#accessKeyId);
  }

  /** Holds up the next call of this server and operation whose body contains a text; the calls after it pass. */
  hold(server: number, operation: string, text = ''): Paused {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.#gates.push({
      isMet: (call) => call.server === server && call.operation === operation && call.body.includes(text),
      reach: reached.resolve,
      released: released.promise,
    });
    return { reached: reached.promise, release: released.resolve };
  }

  /** Delivers all that is late. */
  async settle(): Promise<void> {
    for (const { call } of this.#late.splice(0)) await this.#forward(call);
  }

  async close(): Promise<void> {
    for (const listener of this.#listeners) {
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    }
    this.#agent.destroy();
  }

  async #handle(of: Omit<Call, 'operation'>, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { headers } = incoming;
    const operation = String(headers['x-amz-target']).split('.').at(-1) ?? '';
    const call: Arrived = { ...of, operation, headers, body: (await buffer(incoming)).toString() };
    await this.#pass(call);
    this.#deliverLate();
    const fate = possible(this.decide(call), call);
    this.met.set(fate, (this.met.get(fate) ?? 0) + 1);
    const reply = await this.#meet(fate, call);
    if (reply === undefined) return void outgoing.destroy();
    outgoing.writeHead(reply.status, reply.headers).end(reply.body);
  }

  async #pass(call: Arrived): Promise<void> {
    const gate = this.#gates.find(({ isMet }) => isMet(call));
    if (gate === undefined) return;
    this.#gates = this.#gates.filter((other) => other !== gate);
    gate.reach();
    await gate.released;
  }

  /** @returns undefined when the connection breaks */
  async #meet(fate: Fate, call: Arrived): Promise<Reply | undefined> {
    switch (fate) {
      case 'pass':
        return this.#forward(call);
      case 'dropped':
        return undefined;
      case 'reply-lost':
        await this.#forward(call);
        return undefined;
      case 'forgotten':
        await this.#forward(call);
        this.#forgotten.add(tokenIn(call.body));
        return undefined;
      case 'late':
      case 'late-forgotten':
        this.#delay(fate === 'late' ? call : withoutToken(call));
        return undefined;
      case 'repeated':
      case 'repeated-forgotten':
        this.#delay(fate === 'repeated' ? call : withoutToken(call));
        return this.#forward(call);
      case 'stale':
        return this.#replies.get(call.body) ?? this.#forward(call);
      case 'conflict':
        return CONFLICT;
    }
  }

  #delay(call: Arrived): void {
    this.#late.push({ call, after: CALLS_DELAYED });
  }

  #deliverLate(): void {
    for (const each of this.#late) each.after -= 1;
    const due = this.#late.filter(({ after }) => after <= 0);
    this.#late = this.#late.filter(({ after }) => after > 0);
    for (const { call } of due) this.#forward(call).catch(() => undefined);
  }

  async #forward(arrived: Arrived): Promise<Reply> {
    const call = this.#forgotten.has(tokenIn(arrived.body)) ? withoutToken(arrived) : arrived;
    const { hostname, port } = this.#engine;
    const headers = { ...call.headers, host: this.#engine.host, 'content-length': Buffer.byteLength(call.body) };
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ method: 'POST', path: '/', hostname, port, headers, agent: this.#agent }, resolve)
        .on('error', reject)
        .end(call.body);
    });
    const { connection: _, 'transfer-encoding': __, ...kept } = reply.headers;
    const whole: Reply = { status: reply.statusCode ?? 500, headers: kept, body: await buffer(reply) };
    if (isEventual(call) && whole.status === 200 && this.#replies.size < KEPT_REPLIES && !this.#replies.has(call.body))
      this.#replies.set(call.body, whole);
    return whole;
  }
}

/** A fate that a call of its kind can have: reads have no effect to be late or to be repeated, and only eventually consistent ones are stale. */
function possible(fate: Fate, call: Arrived): Fate {
  const isRead = /^(Get|Query|Batch(Get))/.test(call.operation);
  if (fate === 'stale') return isEventual(call) ? fate : 'pass';
  if (fate === 'conflict') return call.operation === 'TransactWriteItems' ? fate : 'pass';
  return isRead && fate !== 'dropped' && fate !== 'reply-lost' ? 'pass' : fate;
}

const isEventual = ({ operation, body }: Arrived): boolean =>
  /^(GetItem|Query|BatchGetItem)$/.test(operation) && !body.includes('"ConsistentRead":true');

const tokenIn = (body: string): string => /"ClientRequestToken":"([^"]*)"/.exec(body)?.[1] ?? 'none';

const withoutToken = (call: Arrived): Arrived => ({
  ...call,
  body: call.body.replace(/"ClientRequestToken":"[^"]*",|,"ClientRequestToken":"[^"]*"/, ''),
});

const CONFLICT: Reply = {
  status: 400,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: Buffer.from(
    JSON.stringify({
      __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
      Message: 'Transaction cancelled [TransactionConflict]',
      CancellationReasons: [{ Code: 'TransactionConflict', Message: 'Transaction is ongoing for the item' }],
    }),
  ),
};
