import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { localConnection } from '#local-dynamodb';

import { withAccessKey } from '../../local/dynamodb/client.ts';

/** A network between servers and their DynamoDB, in which calls are lost, late, repeated, held up, and answered with what was true before. */

interface Course {
  /** Whether it is carried out when it comes, and whether its sender gets the reply: else the connection breaks. */
  readonly arrives?: true;
  readonly replies?: true;
  /** Whether it is carried out later, when the caller has long sent it again or gone on. */
  readonly comesLater?: true;
  /** Whether DynamoDB forgets the token of the transaction. */
  readonly isForgotten?: true;
}

const COURSES = {
  pass: { arrives: true, replies: true },
  dropped: {},
  'reply-lost': { arrives: true },
  forgotten: { arrives: true, isForgotten: true },
  late: { comesLater: true },
  'late-forgotten': { comesLater: true, isForgotten: true },
  repeated: { arrives: true, replies: true, comesLater: true },
  'repeated-forgotten': { arrives: true, replies: true, comesLater: true, isForgotten: true },
} satisfies Record<string, Course>;

/** What becomes of a call. `stale`: an eventually consistent read is answered as an earlier one was; `conflict`: a transaction meets another. */
export type Fate = keyof typeof COURSES | 'stale' | 'conflict';

interface Arrived {
  readonly operation: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Calls that pass before one that is late is delivered. */
const CALLS_DELAYED = 12;
/** Earlier replies that are kept to answer with. */
const KEPT_REPLIES = 500;

export class FaultyNetwork {
  /** What becomes of the next call of a server. */
  decide: (server: number) => Fate = () => 'pass';
  /** Calls that did not simply pass. */
  faults = 0;
  readonly #engine: URL;
  readonly #accessKeyId: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #listeners: Server[] = [];
  #late: { readonly call: Arrived; after: number }[] = [];
  readonly #forgotten = new Set<string>();
  readonly #replies = new Map<string, Reply>();

  constructor(endpoint: string) {
    const { endpoint: engine, credentials } = localConnection(endpoint);
    this.#engine = new URL(engine);
    this.#accessKeyId = credentials.accessKeyId;
  }

  /** An endpoint for one server. */
  async endpointFor(server: number): Promise<string> {
    const listener = createServer((incoming, outgoing) => {
      this.#handle(server, incoming, outgoing).catch(() => outgoing.destroy());
    });
    this.#listeners.push(listener);
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return withAccessKey(`http://127.0.0.1:${(listener.address() as AddressInfo).port}`, this.#accessKeyId);
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

  async #handle(server: number, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { headers } = incoming;
    const operation = String(headers['x-amz-target']).split('.').at(-1) ?? '';
    const call: Arrived = { operation, headers, body: (await buffer(incoming)).toString() };
    this.#deliverLate();
    const fate = possible(this.decide(server), call);
    if (fate !== 'pass') this.faults += 1;
    const reply = await this.#meet(fate, call);
    if (reply === undefined) return void outgoing.destroy();
    outgoing.writeHead(reply.status, reply.headers).end(reply.body);
  }

  /** @returns undefined when the connection breaks */
  async #meet(fate: Fate, call: Arrived): Promise<Reply | undefined> {
    if (fate === 'conflict') return CONFLICT;
    if (fate === 'stale') return this.#replies.get(call.body) ?? this.#forward(call);
    const { arrives, replies, comesLater, isForgotten }: Course = COURSES[fate];
    if (comesLater) this.#late.push({ call: isForgotten ? withoutToken(call) : call, after: CALLS_DELAYED });
    const reply = arrives && (await this.#forward(call));
    if (isForgotten && !comesLater) this.#forgotten.add(tokenIn(call.body));
    return replies && reply;
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
