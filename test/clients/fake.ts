import { type Custodia, type CustodiaOptions, createCustodia } from '../../packages/client/src/index.ts';

/** A client over prepared responses, with a clock that only moves by sleeping. */

export interface Sent {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Headers;
  readonly body: string;
}

/** The result of a request: a response, or an error that `fetch` throws. */
export type Reply = (sent: Sent, request: Request) => Response | Error | Promise<Response | Error>;

export interface Fake {
  readonly custodia: Custodia;
  readonly sent: Sent[];
  /** Milliseconds, in order. */
  readonly slept: number[];
  /** Moves the clock by so many seconds. */
  readonly pass: (seconds: number) => void;
}

export const INTEGRATION = { appCode: 'acme', secret: 'a-secret-of-at-least-thirty-two-characters' };

export function fakeClient(reply: Reply, options: Partial<CustodiaOptions> = {}): Fake {
  const sent: Sent[] = [];
  const slept: number[] = [];
  let now = 1_000_000;
  let keys = 0;
  const custodia = createCustodia({
    baseUrl: 'https://api.test/stage',
    credentials: { token: 'token-0' },
    fetch: async (request) => {
      request.signal.throwIfAborted();
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const received = { method, target: `${pathname}${search}`, headers, body: await request.text() };
      sent.push(received);
      const response = await reply(received, request);
      if (response instanceof Error) throw response;
      return response;
    },
    timing: {
      now: () => now,
      sleep: async (milliseconds, signal) => {
        signal?.throwIfAborted();
        slept.push(milliseconds);
        now += milliseconds;
      },
      timeout: () => new AbortController().signal,
      random: () => 0.5,
      newKey: () => `key-${++keys}`,
    },
    ...options,
  });
  return { custodia, sent, slept, pass: (seconds) => (now += seconds * 1000) };
}

/** One after the other; the last one for all that follow. */
export function inOrder(...replies: readonly (() => Response | Error)[]): Reply {
  let next = 0;
  return () => {
    const reply = replies[Math.min(next++, replies.length - 1)];
    if (reply === undefined) throw new Error('no reply is written down');
    return reply();
  };
}

export const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  Response.json(body, { status, headers });

export const refusal = (kind: string, status: number, headers: Record<string, string> = {}): Response =>
  json(
    { type: `urn:problem-type:custodia:${kind}`, title: `Refused: ${kind}`, status, request_id: 'request-1' },
    status,
    { 'content-type': 'application/problem+json', ...headers },
  );

export async function all<T>(iterable: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const each of iterable) found.push(each);
  return found;
}
