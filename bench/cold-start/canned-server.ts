import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { EMPTY_KEYS } from '../../shared/table/index.ts';

const SERVICES = ['dynamodb', 'sts', 'kms'] as const;
type CannedService = (typeof SERVICES)[number];

/** Endpoint of each service when requests are recorded. */
export type Upstreams = Readonly<Record<CannedService, string>>;

export interface Exchange {
  readonly service: CannedService;
  /** `DynamoDB_20120810.GetItem`; empty for STS. */
  readonly target: string;
  readonly body: string;
  readonly status: number;
  readonly contentType: string;
  readonly reply: Buffer;
}

/**
 * AWS on loopback, over HTTPS. It first forwards requests and records the responses, then replays them. It recognizes a
 * request by its body without ids and times, which differ from start to start, or by its operation, where that was
 * called once.
 */
export class CannedServer {
  readonly #servers: Readonly<Record<CannedService, Server>>;
  #upstreams: Upstreams | undefined;
  #recorded: Exchange[] = [];
  #replies: ReadonlyMap<string, Exchange> = new Map();
  /** Requests without a recorded response. */
  readonly #unknown = new Set<string>();

  private constructor(servers: Readonly<Record<CannedService, Server>>) {
    this.#servers = servers;
    for (const service of SERVICES) {
      servers[service].on('request', async (request: IncomingMessage, response) => {
        const { status, contentType, reply } = await this.#responseTo(await sentIn(request, service));
        response.writeHead(status, { 'content-type': contentType, 'content-length': reply.length }).end(reply);
      });
    }
  }

  /** Each service has its own port: as in AWS, each is another host with the path `/`. */
  static async start(certificate: { readonly key: string; readonly cert: string }): Promise<CannedServer> {
    const listening = async () => {
      const server = createServer(certificate).listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    };
    return new CannedServer({ dynamodb: await listening(), sts: await listening(), kms: await listening() });
  }

  /** The variables by which the SDK finds the services here. */
  get environment(): Readonly<Record<string, string>> {
    const portOf = (service: CannedService) => (this.#servers[service].address() as AddressInfo).port;
    return Object.fromEntries(
      SERVICES.map((service) => [`AWS_ENDPOINT_URL_${service.toUpperCase()}`, `https://127.0.0.1:${portOf(service)}`]),
    );
  }

  /** Forwards the requests of some work, and returns their recordings. */
  async record(upstreams: Upstreams, work: () => Promise<unknown>): Promise<readonly Exchange[]> {
    this.#upstreams = upstreams;
    this.#recorded = [];
    await work();
    this.#upstreams = undefined;
    return this.#recorded;
  }

  /** Replays these responses meanwhile. @throws Error when a request was not recorded */
  async replay<T>(exchanges: readonly Exchange[], work: () => Promise<T>): Promise<T> {
    const byTarget = Map.groupBy(exchanges, targetOf);
    this.#replies = new Map([
      ...exchanges.map((exchange) => [nameOf(exchange), exchange] as const),
      ...Array.from(byTarget).flatMap(([target, [exchange, ...others]]) =>
        exchange !== undefined && others.length === 0 ? [[target, exchange] as const] : [],
      ),
    ]);
    this.#unknown.clear();
    const [done] = await Promise.allSettled([work()]);
    if (this.#unknown.size > 0) throw new Error(`nothing was recorded for ${[...this.#unknown].join('\n')}`);
    if (done.status === 'rejected') throw done.reason;
    return done.value;
  }

  stop(): void {
    for (const server of Object.values(this.#servers)) {
      server.close();
      server.closeAllConnections();
    }
  }

  async #responseTo(sent: Sent): Promise<Pick<Exchange, 'status' | 'contentType' | 'reply'>> {
    if (this.#upstreams !== undefined) return this.#passOn(sent, this.#upstreams);
    const known = this.#replies.get(nameOf(sent)) ?? this.#replies.get(targetOf(sent));
    if (known !== undefined) return known;
    if (!isOfWarmStart(sent)) this.#unknown.add(nameOf(sent));
    return NOTHING_RECORDED;
  }

  async #passOn(sent: Sent, upstreams: Upstreams): Promise<Exchange> {
    const { service, target, body, headers } = sent;
    const replied = await fetch(upstreams[service], { method: 'POST', headers, body });
    const exchange = {
      service,
      target,
      body,
      status: replied.status,
      contentType: replied.headers.get('content-type') ?? '',
      reply: Buffer.from(await replied.arrayBuffer()),
    };
    this.#recorded.push(exchange);
    return exchange;
  }
}

/**
 * A function waits for its warm start's read for half a second only: where the machine was busy, it was not recorded.
 * Any response will do.
 */
const isOfWarmStart = ({ body }: Pick<Sent, 'body'>): boolean => body.includes(`"${EMPTY_KEYS.warmStart.PK}"`);

/** Of a status that no client tries again. */
const NOTHING_RECORDED = { status: 400, contentType: 'text/plain', reply: Buffer.from('nothing was recorded') };

interface Sent extends Pick<Exchange, 'service' | 'target' | 'body'> {
  readonly headers: Readonly<Record<string, string>>;
}

async function sentIn(request: IncomingMessage, service: CannedService): Promise<Sent> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = ['authorization', 'content-type', 'x-amz-date', 'x-amz-target', 'x-amz-security-token'].flatMap(
    (name) => (request.headers[name] === undefined ? [] : [[name, String(request.headers[name])]]),
  );
  return {
    service,
    target: String(request.headers['x-amz-target'] ?? ''),
    body: Buffer.concat(chunks).toString(),
    headers: Object.fromEntries(headers),
  };
}

/**
 * Ids, times, account numbers, the day of a sequence number's confirmation window, and the id of an attempt to write.
 */
const VARYING = new RegExp(
  [
    /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/,
    /\d{4}-\d\d-\d\dT[\d:.]+Z/,
    /(?<=")-?\d{6,}(?=")/,
    /\d{12}/,
    /(?<="E)\d{5}(?=")/,
    /(?<="WRITE_ID":\{"S":")[\w-]{16}/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

type Asked = Pick<Exchange, 'service' | 'target' | 'body'>;

const targetOf = ({ service, target }: Asked): string => `${service} ${target}`;

const nameOf = (asked: Asked): string => `${targetOf(asked)} ${asked.body.replace(VARYING, '…')}`;
