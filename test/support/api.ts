import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { ensureLocalKeys } from '#auth';
import { configureTable } from '#table';
import { contracts } from '../../functions/all-contracts.ts';
import { startDeliveries } from '../../local/deliveries/index.ts';
import { setFunctionEnvironment } from '../../local/environment.ts';
import { loadFromSource } from '../../local/functions.ts';
import { type GatewayOptions, startGateway } from '../../local/gateway/gateway.ts';
import { startObjectStore } from '../../local/objects/index.ts';
import { ensurePlatformIntegration } from '../../local/platform.ts';
import { terminalLog } from '../../local/terminal/log.ts';
import { conformance } from './conformance.ts';
import { directFetch } from './direct-fetch.ts';
import { type FreshTable, freshTable } from './dynamodb.ts';
import { keyDirectory, keyFile } from './key-file.ts';
import './refused-logins.ts';

/**
 * The API for tests: the local gateway over the handlers from source and a table of its own. Requests go to the gateway
 * without a socket, unless a test is about HTTP itself.
 *
 *     const api = await startApi();
 *     afterAll(() => api.close());
 *     const { token } = await api.orgToken();
 *     const { status, body } = await api.request('POST', '/api/v1/clients', { token, body: { name: 'Acme' } });
 *
 * Checks every response against the contract: status, headers, exactly the declared fields. A response that does not
 * conform throws.
 */
export interface Api {
  readonly url: string;
  readonly table: FreshTable;
  /** As the global one, without a socket. */
  readonly fetch: typeof fetch;
  readonly request: <T = JsonBody>(method: string, path: string, options?: RequestOptions) => Promise<ApiResponse<T>>;
  /** A token of the platform integration; logs in once. */
  readonly platformToken: () => Promise<string>;
  /** Creates an organization and an integration of it through the API, and logs in with it. */
  readonly orgToken: (orgName?: string) => Promise<OrgAccess>;
  readonly login: (appCode: string, secret: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

export type JsonBody = Record<string, unknown>;

export interface RequestOptions {
  readonly token?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged, and without a content type unless `headers` has one. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiResponse<T = JsonBody> {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON, else the text. */
  readonly body: T;
}

export interface OrgAccess {
  readonly token: string;
  readonly orgId: string;
  readonly integrationId: string;
  readonly appCode: string;
  readonly secret: string;
}

export interface ApiOptions
  extends Pick<
    GatewayOptions,
    'firstKey' | 'authorizerTtlSeconds' | 'corsOrigins' | 'limits' | 'report' | 'around' | 'stage' | 'throttling'
  > {
  /** Delivers events to receivers on this machine (`startReceiver`). Default: no. */
  readonly deliveries?: boolean;
  /** Whether `request` and `fetch` call over HTTP, for tests of what a connection does. Default: no. */
  readonly sockets?: boolean;
}

/** Test files create many integrations in one organization. */
const MANY = 100_000;

/** Starts the API on a free port. `firstKey` is on by default, as for `npm start`. */
export async function startApi({
  firstKey = true,
  deliveries = false,
  sockets = false,
  ...options
}: ApiOptions = {}): Promise<Api> {
  // Tests of conflicts send more requests at once than the default limit.
  const limits = { inFlight: MANY, ...options.limits };
  const table = await freshTable();
  const directory = mkdtempSync(join(keyDirectory(), 'objects-'));
  const objects = await startObjectStore({ directory, corsOrigins: options.corsOrigins });
  setFunctionEnvironment({
    tableName: table.tableName,
    endpoint: table.endpoint,
    keyFile: keyFile(),
    firstKey,
    attachmentsUrl: objects.url,
    maxIntegrations: MANY,
    maxWebhookEndpoints: MANY,
    maxWebhookPings: MANY,
    authorizerTtlSeconds: options.authorizerTtlSeconds,
    corsOrigins: options.corsOrigins,
  });
  // The functions cache their table for the life of the process; a test file may start several APIs in sequence.
  configureTable(PATIENT);
  await ensureLocalKeys(keyFile());
  const platform = await ensurePlatformIntegration({ dataDir: mkdtempSync(join(keyDirectory(), 'platform-')) });
  const gateway = await startGateway({ contracts, loadFunction: loadFromSource, firstKey, ...options, limits });
  const delivering = deliveries ? startDeliveries({ ...AS_SOON_AS_MAY_BE, ...locationOf(table) }) : undefined;
  const close = async (): Promise<void> => {
    await delivering?.[Symbol.asyncDispose]();
    await gateway.close();
    await objects[Symbol.asyncDispose]();
  };
  const send = sockets ? fetch : directFetch(gateway);
  return { ...callersAt(gateway.url, platform, send), url: gateway.url, fetch: send, table, close };
}

/** On a loaded machine a call is not sent again because it takes long. In milliseconds. */
const PATIENT = { requestHandler: { connectionTimeout: 30_000, requestTimeout: 30_000 } } as const;

const AS_SOON_AS_MAY_BE = { pauseMs: 10, longerPauseMs: 10, log: terminalLog('error') };

const locationOf = ({ endpoint, tableName }: FreshTable) => ({ address: () => endpoint, tableName });

/** The callers of an API, wherever it runs, over HTTP by default. */
export function callersAt(
  url: string,
  platform: { readonly appCode: string; readonly secret: string },
  send: typeof fetch = fetch,
): Pick<Api, 'request' | 'login' | 'platformToken' | 'orgToken'> {
  const request = requester(url, send);
  const login = loginWith(request);
  let platformLogin: Promise<string> | undefined;
  const platformToken = (): Promise<string> => {
    platformLogin ??= login(platform.appCode, platform.secret);
    return platformLogin;
  };
  const orgToken = async (name?: string) => newOrganization(request, login, await platformToken(), name);
  return { request, login, platformToken, orgToken };
}

/** Sends requests to an API, over HTTP by default, and checks the responses. */
export function requester(url: string, send: typeof fetch = fetch): Api['request'] {
  const check = conformance(contracts);
  return async <T>(method: string, path: string, { token, body, raw, headers = {} }: RequestOptions = {}) => {
    const response = await send(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      // As bytes, because fetch adds a content type to a text.
      body: body === undefined ? bytesOf(raw) : bytesOf(JSON.stringify(body)),
    });
    const text = await response.text();
    const isJson = /^application\/([\w.-]+\+)?json\b/.test(response.headers.get('content-type') ?? '');
    const parsed: unknown = isJson && text !== '' ? JSON.parse(text) : text;
    check({ method, path, status: response.status, headers: response.headers, body: parsed });
    return { status: response.status, headers: response.headers, body: parsed as T };
  };
}

const bytesOf = (raw: RequestOptions['raw']): Uint8Array<ArrayBuffer> | null => {
  if (raw === undefined) return null;
  return typeof raw === 'string' ? new TextEncoder().encode(raw) : raw;
};

const loginWith =
  (request: Api['request']): Api['login'] =>
  async (appCode, secret) => {
    const { status, body } = await request<{ access_token: string }>('POST', '/api/v1/auth/login', {
      body: { app_code: appCode, secret },
    });
    if (status !== 200) throw new Error(`logging in as ${appCode} answered ${status} ${JSON.stringify(body)}`);
    return body.access_token;
  };

async function newOrganization(
  request: Api['request'],
  login: Api['login'],
  token: string,
  name = 'Acme',
): Promise<OrgAccess> {
  const suffix = randomUUID();
  const create = async (path: string, body: JsonBody): Promise<Record<string, string>> => {
    const reply = await request<Record<string, string>>('POST', path, { token, body });
    if (reply.status !== 201) throw new Error(`POST ${path} answered ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const org = await create('/api/v1/orgs', { name, slug: `org-${suffix}` });
  const integration = await create('/api/v1/integrations', {
    org_id: org.id,
    app_code: `app-${suffix}`,
    display_name: `${name} integration`,
  });
  const { id: integrationId = '', app_code: appCode = '', secret = '' } = integration;
  return { token: await login(appCode, secret), orgId: org.id ?? '', integrationId, appCode, secret };
}
