import type { Timing } from './timing.ts';

/** How often a request is sent, and how long the client waits in between. */
export interface RetryOptions {
  /** How often at most, the first time included. */
  readonly attempts?: number;
  /** Milliseconds before the second attempt; twice as many before each further one, and each a random part of that. */
  readonly delay?: number;
  /** Milliseconds to wait at most. A longer `Retry-After` ends the attempts: the caller gets the problem at once. */
  readonly longest?: number;
}

/**
 * Sends a request, and sends it again where that can help.
 * @param isSafe twice is as once: also when nobody knows whether the first attempt was carried out
 * @param options `timeout`: milliseconds until an attempt is given up, with the reading of its response
 * @throws TypeError as `fetch` does, where nothing responds
 * @throws DOMException `TimeoutError`, where nothing responds in time
 */
export async function sendWithRetries(
  send: (attempt: Request) => Promise<Response>,
  request: Request,
  isSafe: boolean,
  { attempts = 4, delay = 250, longest = 30_000, timeout }: RetryOptions & { readonly timeout: number },
  timing: Timing,
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await sendOnce(send, request.clone(), timeout === Infinity ? undefined : timing.timeout(timeout));
    const response = outcome instanceof Response ? outcome : undefined;
    const asked = waitOf(response, timing.now());
    const canHelp = isRefusedForNow(response) || (isSafe && isFailure(response?.status));
    if (!canHelp || attempt >= attempts || asked > longest) {
      if (response === undefined) throw outcome;
      return response;
    }
    await response?.body?.cancel();
    const backoff = Math.min(delay * 2 ** (attempt - 1), longest);
    await timing.sleep(asked + timing.random() * backoff, request.signal);
  }
}

/**
 * Follows no redirect: the API has none, and `fetch` would send the body of a 307 or 308, app code and secret, to whatever origin it names.
 * @returns the response, or what `fetch` throws when nothing responds, or not in time
 * @throws any other error, such as that of the caller's signal, which ends the attempts
 */
async function sendOnce(
  send: (attempt: Request) => Promise<Response>,
  attempt: Request,
  limit: AbortSignal | undefined,
): Promise<unknown> {
  const { signal } = attempt;
  const bounded = limit ? AbortSignal.any([signal, limit]) : signal;
  try {
    return await send(new Request(attempt, { redirect: 'manual', signal: bounded }));
  } catch (error) {
    if (signal.aborted) throw error;
    if (limit?.aborted) return limit.reason;
    if (error instanceof TypeError) return error;
    throw error;
  }
}

/**
 * A request that is refused for the number of requests was not carried out, nor was one that met others at its record: a 409 says when to send it
 * again where it was only for that.
 */
const isRefusedForNow = (response: Response | undefined): boolean =>
  response?.status === 429 || (response?.status === 409 && response.headers.has('retry-after'));

const isFailure = (status: number | undefined): boolean =>
  status === undefined || [500, 502, 503, 504].includes(status);

/** `Retry-After` in milliseconds (RFC 9110 §10.2.3). This API says seconds, proxies may name a date. */
const waitOf = (response: Response | undefined, now: number): number => {
  const header = response?.headers.get('retry-after') ?? '';
  return Number(header) * 1000 || Math.max(0, Date.parse(header) - now) || 0;
};
