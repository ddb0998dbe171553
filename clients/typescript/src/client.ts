import createFetchClient from 'openapi-fetch';
import { type Lists, listsWith } from './lists.ts';
import { CustodiaProblem } from './problem.ts';
import { type RetryOptions, sendWithRetries } from './retry.ts';
import { OPEN_PATHS, type paths } from './schema.ts';
import { systemTiming, type Timing } from './timing.ts';
import { loginTokens, ownTokens, type TokenSource } from './token.ts';
import type { ApiResponse, Call } from './types.ts';

/** How requests are authenticated. */
export type Credentials =
  /** An integration: the client logs in and renews the token. */
  | { readonly appCode: string; readonly secret: string }
  /** A token, or what returns one for each request. */
  | { readonly token: string | (() => string | Promise<string>) };

export interface CustodiaOptions {
  /** The address in front of `/api/v1`, such as `https://api.example.com`. */
  readonly baseUrl: string;
  /** Without any the client sends no token, as `POST /api/v1/integrations` needs none for the first key of an organization. */
  readonly credentials?: Credentials | undefined;
  readonly retry?: RetryOptions;
  /**
   * Milliseconds until an attempt is given up, with the reading of its response: 30,000 unless told, for the API responds within 29 s. What can be
   * repeated is then sent again; else a `DOMException` is thrown, a `TimeoutError`. `Infinity`: never.
   */
  readonly timeout?: number;
  /** In place of the global one. */
  readonly fetch?: (request: Request) => Promise<Response>;
  readonly timing?: Partial<Timing>;
}

export interface Custodia extends Lists {
  readonly GET: Call<'get'>;
  /** Has an `Idempotency-Key` of its own unless it is given one: the same in every attempt. */
  readonly POST: Call<'post'>;
  readonly PATCH: Call<'patch'>;
  readonly DELETE: Call<'delete'>;
}

/** A client of the API. It keeps its token in memory only. */
export function createCustodia(options: CustodiaOptions): Custodia {
  const { baseUrl, credentials, retry = {}, timeout = 30_000 } = options;
  const { fetch = (request) => globalThis.fetch(request) } = options;
  const timing = { ...systemTiming, ...options.timing };
  const http = createFetchClient<paths>({ baseUrl });

  const send = (request: Request, isRepeatable = isSafe(request)) =>
    sendWithRetries(fetch, request, isRepeatable, { ...retry, timeout }, timing);

  // Each can be repeated: a read, a login, and a webhook, which has its id.
  const sendOpen = (request: Request) => send(request, true);

  const sendAuthenticated = async (request: Request): Promise<Response> => {
    if (tokens === undefined) return send(request);
    if (request.method === 'POST' && !request.headers.has(KEY)) request.headers.set(KEY, timing.newKey());
    return sendWithToken(request, tokens, send);
  };

  const call = async (method: 'get' | 'post' | 'patch' | 'delete', path: string, init?: object) => {
    const transport = OPEN_PATHS.has(path) ? sendOpen : sendAuthenticated;
    const { data, error, response } = await http.request(method, path as never, { ...init, fetch: transport } as never);
    if (!response.ok && response.status !== NOT_MODIFIED) throw new CustodiaProblem(response, error);
    return { data, response } as ApiResponse<never>;
  };

  const GET: Call<'get'> = (path, ...[init]) => call('get', path, init);
  const POST: Call<'post'> = (path, ...[init]) => call('post', path, init);
  const PATCH: Call<'patch'> = (path, ...[init]) => call('patch', path, init);
  const DELETE: Call<'delete'> = (path, ...[init]) => call('delete', path, init);

  const tokens = credentials && tokensOf(credentials, POST, timing);
  return { GET, POST, PATCH, DELETE, ...listsWith(GET, timing) };
}

const KEY = 'idempotency-key';
const NOT_MODIFIED = 304;

/**
 * Whether a request can be carried out twice: reads, creations with their key, and changes without `If-Match`, which the first attempt may have
 * made stale. Not a `DELETE`: it would return 404 of what the first attempt deleted.
 */
const isSafe = ({ method, headers }: Request): boolean =>
  method === 'GET' || (method === 'POST' && headers.has(KEY)) || (method === 'PATCH' && !headers.has('if-match'));

function tokensOf(credentials: Credentials, POST: Call<'post'>, timing: Timing): TokenSource {
  if ('token' in credentials) return ownTokens(credentials.token);
  const body = { app_code: credentials.appCode, secret: credentials.secret };
  return loginTokens(async () => (await POST('/api/v1/auth/login', { body })).data, timing);
}

/** Sends a request with a token; once more with a new one, where the token turns out to have ended. */
async function sendWithToken(
  request: Request,
  tokens: TokenSource,
  send: (request: Request) => Promise<Response>,
): Promise<Response> {
  const token = await tokens.get(request.signal);
  request.headers.set('authorization', `Bearer ${token}`);
  const response = await send(request);
  if (response.status !== 401) return response;
  tokens.refused(token);
  const renewed = await tokens.get(request.signal);
  if (renewed === token) return response;
  await response.body?.cancel();
  request.headers.set('authorization', `Bearer ${renewed}`);
  return send(request);
}
