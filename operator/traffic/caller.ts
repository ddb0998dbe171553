import type { Tally } from './tally.ts';

/** A caller of the stage that counts its responses. */

const TIMEOUT_MS = 35_000;

interface Asked {
  /** The id of the record in the path, if any. */
  readonly id?: string;
  readonly token?: string | undefined;
  readonly body?: unknown;
  /** The status of a successful response. */
  readonly expected: number;
}

export interface ApiResponse {
  readonly status: number | undefined;
  /** Undefined where the body is no JSON object. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

export interface CallerOptions {
  /** Base URL without a slash at the end. */
  readonly base: string;
  readonly tally: Tally;
  /** Resolves when the next request may be sent. */
  readonly turn: () => Promise<unknown>;
  /** Waits so many seconds. */
  readonly wait: (seconds: number) => Promise<unknown>;
}

/** Longest time that a caller waits for its budget, in seconds. */
const LONGEST_WAIT = 60;

export type Ask = (method: string, path: string, asked: Asked) => Promise<ApiResponse>;

export const stageCaller =
  ({ base, tally, turn, wait }: CallerOptions): Ask =>
  async (method, path, { id, token, body, expected }) => {
    await turn();
    const {
      status,
      retryAfter,
      body: reply,
    } = await send(`${base}${path}${id === undefined ? '' : `/${id}`}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // A spent budget is no failure of the new version.
    const isExpected = status === expected || status === 429;
    const route = `${path.replace(/\?.*/, '')}${id === undefined ? '' : '/{id}'}`;
    tally.add({ method, route, status, isExpected });
    if (status === 429) await wait(Math.min(Math.max(retryAfter, 1), LONGEST_WAIT));
    return { status, body: reply };
  };

async function send(address: string, request: RequestInit): Promise<ApiResponse & { readonly retryAfter: number }> {
  try {
    const response = await fetch(address, { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) });
    const body: unknown = await response.json().catch(() => undefined);
    const retryAfter = Number(response.headers.get('retry-after')) || 0;
    return {
      status: response.status,
      retryAfter,
      body: typeof body === 'object' && body !== null ? { ...body } : undefined,
    };
  } catch {
    return { status: undefined, retryAfter: 0, body: undefined };
  }
}
