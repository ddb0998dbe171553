import createFetchClient from 'openapi-fetch';
import { downloadWith, type UploadOptions, uploadWith } from './attachments.ts';
import { type BatchOperation, type BatchOptions, type BatchResponse, isRepeatable, type SendBatch } from './batch.ts';
import type { Calls } from './calls.ts';
import { type EventFeed, type EventsOptions, eventsWith } from './events.ts';
import { type ImportOptions, type ImportResult, importWith } from './import-records.ts';
import { type Lists, listsWith } from './lists.ts';
import { namedCalls } from './named.ts';
import { CustodiaProblem } from './problem.ts';
import { type RetryOptions, sendWithRetries } from './retry.ts';
import { type Attachment, OPEN_PATHS, type paths, TEXT_PATHS, type WebhookDelivery } from './schema.ts';
import { type DeliveredWebhook, type SendWebhookOptions, sendWebhookWith } from './send-webhook.ts';
import { systemTiming, type Timing } from './timing.ts';
import { type Credentials, loginTokens, ownTokens, type TokenSource } from './token.ts';
import type { ApiResponse, Call } from './types.ts';

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

/** Calls by readable name (`custodia.tickets.get(id)`, which returns the record), and by path (with the response). */
export interface Custodia extends Calls, Lists {
  readonly GET: Call<'get'>;
  /** Has an `Idempotency-Key` of its own unless it is given one: the same in every attempt. */
  readonly POST: Call<'post'>;
  readonly PUT: Call<'put'>;
  readonly PATCH: Call<'patch'>;
  readonly DELETE: Call<'delete'>;
  /** Carries out up to 200 operations, each as if it had been sent alone: what one of them is refused for is its result. */
  readonly batch: (operations: readonly BatchOperation[], options?: BatchOptions) => Promise<BatchResponse>;
  /** Carries out any number of operations, in batches, and those again that were not carried out. */
  readonly importRecords: (
    operations: Iterable<BatchOperation> | AsyncIterable<BatchOperation>,
    options?: ImportOptions,
  ) => AsyncGenerator<ImportResult, void>;
  /** Attaches a file to a ticket: announces it, sends its bytes, and completes it. All of these can be repeated. */
  readonly uploadAttachment: (
    ticketId: string,
    file: Blob & { readonly name?: string },
    options?: UploadOptions,
  ) => Promise<Attachment>;
  /** The bytes of an attachment. */
  readonly downloadAttachment: (
    ticketId: string,
    attachmentId: string,
    options?: { readonly signal?: AbortSignal },
  ) => Promise<Blob>;
  /** What has changed, in order; waits for more at the end of the feed. */
  readonly events: (options?: EventsOptions) => EventFeed;
  /**
   * Signs an event and delivers it. An event that was processed before is delivered, too: a sender may repeat it under its id.
   * @throws TypeError where neither the client's credentials nor the options have an app code and a secret
   */
  readonly sendWebhook: (event: WebhookDelivery, options?: SendWebhookOptions) => Promise<DeliveredWebhook>;
}

/** A client of the API. It keeps its token in memory only. */
export function createCustodia(options: CustodiaOptions): Custodia {
  const { baseUrl, credentials, retry = {}, timeout = 30_000 } = options;
  const { fetch = (request) => globalThis.fetch(request) } = options;
  const timing = { ...systemTiming, ...options.timing };
  const http = createFetchClient<paths>({ baseUrl });

  const send = (request: Request, isRepeatable = isSafe(request), longest = timeout) =>
    sendWithRetries(fetch, request, isRepeatable, { ...retry, timeout: longest }, timing);

  // Each can be repeated: a read, a login, and a webhook, which has its id.
  const sendOpen = (request: Request) => send(request, true);

  const sendAuthenticated = async (request: Request): Promise<Response> => {
    if (tokens === undefined) return send(request);
    if (request.method === 'POST' && !request.headers.has(KEY)) request.headers.set(KEY, timing.newKey());
    return sendWithToken(request, tokens, send);
  };

  /** @param given where the path does not say how it is sent */
  const call = async (
    method: 'get' | 'post' | 'put' | 'patch' | 'delete',
    path: string,
    init?: PathInit,
    given?: Transport,
  ) => {
    requirePathParameters(path, init);
    requireValues(path, init);
    const transport = given ?? (OPEN_PATHS.has(path) ? sendOpen : sendAuthenticated);
    const options = { ...(TEXT_PATHS.has(path) && { parseAs: 'text' }), ...init, fetch: transport };
    const { data, error, response } = await http.request(method, path as never, options as never);
    if (!response.ok && response.status !== NOT_MODIFIED) throw new CustodiaProblem(response, error);
    return { data, response } as ApiResponse<never>;
  };

  const GET: Call<'get'> = (path, ...[init]) => call('get', path, init);
  const POST: Call<'post'> = (path, ...[init]) => call('post', path, init);
  const PUT: Call<'put'> = (path, ...[init]) => call('put', path, init);
  const PATCH: Call<'patch'> = (path, ...[init]) => call('patch', path, init);
  const DELETE: Call<'delete'> = (path, ...[init]) => call('delete', path, init);

  const sendBatch: SendBatch = (operations, texts, { query = {}, headers = {}, signal }) => {
    const isSafe = operations.every(isRepeatable);
    const transport: Transport = (request) =>
      tokens === undefined
        ? send(request, isSafe)
        : sendWithToken(request, tokens, (authenticated) => send(authenticated, isSafe));
    const body = { body: `{"operations":[${texts.join()}]}`, bodySerializer: (text: string) => text };
    const init = { params: { query }, headers, ...body, ...(signal && { signal }) };
    return call('post', BATCH, init as PathInit, transport) as Promise<ApiResponse<BatchResponse>>;
  };
  const batch: Custodia['batch'] = async (operations, options = {}) =>
    (
      await sendBatch(
        operations,
        operations.map((operation) => JSON.stringify(operation)),
        options,
      )
    ).data;
  const importRecords = importWith(sendBatch, timing);

  // Bytes take as long as they take: a URL for an upload ends after a quarter of an hour.
  const sendToStore = (request: Request) => send(request, true, Math.max(timeout, 900_000));

  const tokens = credentials && tokensOf(credentials, POST, timing);
  const lists = listsWith(GET, timing);
  const sendWebhook = sendWebhookWith(POST, credentials, timing);
  const events = eventsWith(GET, timing);
  return {
    ...namedCalls(call as never, lists),
    GET,
    POST,
    PUT,
    PATCH,
    DELETE,
    ...lists,
    batch,
    importRecords,
    uploadAttachment: uploadWith(POST, sendToStore),
    downloadAttachment: downloadWith(GET, sendToStore),
    events,
    sendWebhook,
  };
}

type Transport = (request: Request) => Promise<Response>;

const BATCH = '/api/v1/batch';

interface PathInit {
  readonly params?: { readonly path?: object; readonly query?: object };
}

/**
 * An empty one would make the path of something else, such as that of a list; `.` and `..` too, as parts of addresses.
 * @throws TypeError
 */
function requirePathParameters(path: string, { params }: PathInit = {}): void {
  for (const [name, value] of Object.entries(params?.path ?? {}))
    if (/^\.{0,2}$/.test(value ?? '')) throw new TypeError(`${path} needs its ${name}, not "${value ?? ''}"`);
}

/**
 * A list without values would not be sent: where none of many is meant, the response would have all.
 * @throws TypeError
 */
function requireValues(path: string, { params }: PathInit = {}): void {
  for (const [name, value] of Object.entries(params?.query ?? {}))
    if (Array.isArray(value) && value.length === 0)
      throw new TypeError(`${path}: ${name} is an empty list. Leave it out, or name a value`);
}

const KEY = 'idempotency-key';
const NOT_MODIFIED = 304;

/**
 * Whether a request can be carried out twice: reads, creations with their key, and changes and upserts without `If-Match`, which the first attempt
 * may have made stale. Not a `DELETE`: it would return 404 of what the first attempt deleted.
 */
const isSafe = ({ method, headers }: Request): boolean =>
  method === 'GET' ||
  (method === 'POST' && headers.has(KEY)) ||
  (/^(PUT|PATCH)$/.test(method) && !headers.has('if-match'));

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
