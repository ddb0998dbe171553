import { partition } from '@aws-sdk/core/client';
import { ServiceException } from '@smithy/core/client';
import { HttpRequest } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { CallerClient } from '../../../shared/aws/service.ts';
import { type Context, type Middleware, metadataOf, wayThrough } from '../../../shared/aws/steps.ts';

/**
 * Reads about the account, one or two of each of several services. They go the way of the SDK's client of STS, which signs and retries: a client for each
 * service would be a package more for every checkout.
 */

export type ServiceName = 'apigateway' | 'cloudformation' | 'cloudtrail' | 'lambda';

export interface Read {
  readonly service: ServiceName;
  /** Of a REST API; otherwise `target` or `form` says what to do. */
  readonly path?: string;
  /** Of a service with JSON 1.1: the action, with its prefix. */
  readonly target?: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** Of a service with the query protocol. */
  readonly form?: Readonly<Record<string, string>>;
}

/** Makes a read. @returns the text of the answer @throws ServiceException, or an error of the connection */
export type AskAws = (read: Read) => Promise<string>;

const TIMEOUTS = { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true } as const;

/** As the SDK names the variables that move a service elsewhere. */
const ENDPOINTS: Readonly<Record<ServiceName, string>> = {
  apigateway: 'API_GATEWAY',
  cloudformation: 'CLOUDFORMATION',
  cloudtrail: 'CLOUDTRAIL',
  lambda: 'LAMBDA',
};

/** Asks in the name of a client's credentials, in its region. */
export async function askAws(client: CallerClient): Promise<AskAws> {
  const region = await client.config.region();
  const handler = new NodeHttpHandler(TIMEOUTS);
  return async (read) => {
    const context: Context = { clientName: read.service, commandName: read.target ?? read.path ?? read.service };
    const call = wayThrough(
      client,
      context,
      { request: requesting(read, region, context), answer: answering(client) },
      (request) => handler.handle(request),
    );
    const { output } = await call({ input: read });
    return (output as { readonly text: string }).text;
  };
}

const requesting =
  (read: Read, signingRegion: string, context: Context): Middleware =>
  (next) =>
  (call) => {
    const url = endpointOf(read.service, signingRegion);
    const properties = { authSchemes: [{ name: 'sigv4', signingName: read.service, signingRegion, properties: {} }] };
    context.endpointV2 = { url, properties };
    const { protocol, hostname, port } = url;
    const address = { protocol, hostname, ...(port === '' ? {} : { port: Number(port) }) };
    const message = messageOf(read);
    const headers = { host: url.host, accept: 'application/json', ...message.headers };
    return next({ ...call, request: new HttpRequest({ path: '/', ...address, ...message, headers }) });
  };

function messageOf({ path, target, body, form }: Read) {
  if (path !== undefined) return { method: 'GET', path, headers: {} };
  const text = form === undefined ? JSON.stringify(body ?? {}) : new URLSearchParams(form).toString();
  const contentType = form === undefined ? 'application/x-amz-json-1.1' : 'application/x-www-form-urlencoded';
  const headers = {
    'content-type': contentType,
    'content-length': String(Buffer.byteLength(text)),
    ...(target === undefined ? {} : { 'x-amz-target': target }),
  };
  return { method: 'POST', body: text, headers };
}

/** https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html */
function endpointOf(service: ServiceName, region: string): URL {
  const named = process.env[`AWS_ENDPOINT_URL_${ENDPOINTS[service]}`];
  return new URL(named || `https://${service}.${region}.${partition(region).dnsSuffix}`);
}

const answering =
  ({ config }: CallerClient): Middleware =>
  (next) =>
  async (call) => {
    const { response } = await next(call);
    const text = Buffer.from(await config.streamCollector(response.body)).toString();
    const $metadata = metadataOf(response);
    if (response.statusCode < 300) return { response, output: { text, $metadata } };
    const $fault = response.statusCode < 500 ? 'client' : 'server';
    const error = new ServiceException({ ...errorIn(text, response), $fault, $metadata: $metadata as never });
    throw Object.defineProperty(error, '$response', { value: response });
  };

/** JSON services name an error in a header or in the body, the query protocol in XML. */
function errorIn(
  text: string,
  { headers, statusCode }: { readonly headers: Record<string, string>; readonly statusCode: number },
) {
  const [, code] = /<Code>(\w+)</.exec(text) ?? /"__type" ?: ?"(?:[\w.]+#)?(\w+)"/.exec(text) ?? [];
  const [, said] = /<Message>([^<]+)</.exec(text) ?? /"[Mm]essage" ?: ?"([^"]+)"/.exec(text) ?? [];
  const name = headers['x-amzn-errortype']?.replace(/:.*/, '') ?? code ?? 'UnknownError';
  return { name, message: said ?? `the service answered ${statusCode}` };
}
