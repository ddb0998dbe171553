import { ServiceException } from '@smithy/core/client';
import { HttpRequest } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { type EndpointConfig, endpointOf, type ServiceName } from './endpoints.ts';
import { type Context, type Middleware, responseMetadataOf, type SdkClient, wayThrough } from './steps.ts';

/**
 * Services of AWS that a function calls once or twice. The parts of the SDK that the table's client has already loaded
 * call them: a client of their own would cost a cold start more than the call (`docs/decisions/0122-lean-client.md`).
 */
export interface AwsService {
  /** As in host names and signatures. */
  readonly name: ServiceName;
  readonly contentType: string;
  /**
   * Reads name and message of an error from the text of a response. @throws any error for a text that is not the
   * service's
   */
  readonly errorIn: (text: string) => ErrorText;
}

interface ErrorText {
  readonly name: string | undefined;
  readonly message: string | undefined;
}

/** A request to a service. */
interface Request {
  /** The target header, for a service that takes its operation from a header. */
  readonly target?: string;
  /** The path, for a service that takes its operation from a path. Absent: the body is posted. */
  readonly get?: { readonly path: string; readonly query: Readonly<Record<string, string>> };
  readonly body?: string;
}

/**
 * Calls a service. @returns the text of its response
 * @throws ServiceException, or an error of the connection
 */
export type CallService = (request: Request) => Promise<string>;

/** The client whose credentials, retries, clock and region a call uses. */
export interface CallerClient extends SdkClient {
  readonly config: SdkClient['config'] &
    EndpointConfig & {
      readonly credentials: () => Promise<unknown>;
      readonly streamCollector: (body: unknown) => Promise<Uint8Array>;
    };
}

/** A call that takes longer is retried. In milliseconds. */
const TIMEOUTS = { connectionTimeout: 1_000, requestTimeout: 3_000, throwOnRequestTimeout: true } as const;

let shared: NodeHttpHandler | undefined;

/**
 * Calls of this service in the name of this client.
 * @example await serviceOf(client, { name: 'logs', contentType: 'application/x-amz-json-1.1', errorIn })({ body })
 */
export function serviceOf(client: CallerClient, service: AwsService): CallService {
  shared ??= new NodeHttpHandler(TIMEOUTS);
  const handler = shared;
  const context: Context = { clientName: service.name, commandName: service.name, logger: client.config.logger };
  const call = wayThrough(
    client,
    context,
    { request: requesting(client, service, context), response: responding(client, service) },
    (request) => handler.handle(request),
    ['observeCalls'],
  );
  return async (request) => {
    const { output } = await call({ input: request });
    return (output as { readonly text: string }).text;
  };
}

function requesting({ config }: CallerClient, { name, contentType }: AwsService, context: Context): Middleware {
  return (next) => async (call) => {
    const { target, get, body = '' } = call.input as Request;
    // Here, and not only when it is signed: a failure there is retried, and STS has already been retried.
    await config.credentials();
    const signingRegion = await config.region();
    const { url } = await endpointOf(config, name);
    context.endpointV2 = {
      url,
      properties: { authSchemes: [{ name: 'sigv4', signingName: name, signingRegion, properties: {} }] },
    };
    const headers = {
      host: url.host,
      'content-type': contentType,
      'content-length': String(Buffer.byteLength(body)),
      ...(target === undefined ? {} : { 'x-amz-target': target }),
    };
    const { protocol, hostname, port, pathname } = url;
    const path = pathname.replace(/\/$/, '') + (get?.path ?? '/');
    const address = { protocol, hostname, path, ...(port === '' ? {} : { port: Number(port) }) };
    const what = get === undefined ? { method: 'POST', body } : { method: 'GET', query: get.query };
    return next({ ...call, request: new HttpRequest({ ...address, ...what, headers }) });
  };
}

const responding =
  ({ config }: CallerClient, { errorIn }: AwsService): Middleware =>
  (next) =>
  async (call) => {
    const { response } = await next(call);
    const text = Buffer.from(await config.streamCollector(response.body)).toString();
    const $metadata = responseMetadataOf(response);
    if (response.statusCode < 300) return { response, output: { text, $metadata } };
    const { name, message } = errorOf(text, errorIn);
    const $fault = response.statusCode < 500 ? 'client' : 'server';
    const error = new ServiceException({ name, message, $fault, $metadata: $metadata as never });
    // The SDK's retries read in it when to try again. It is not enumerable, as in the SDK's own errors.
    throw Object.defineProperty(error, '$response', { value: response });
  };

/** Proxies between a service and its callers have errors in forms of their own. */
function errorOf(text: string, errorIn: AwsService['errorIn']): { readonly name: string; readonly message: string } {
  let error: Partial<ErrorText> = {};
  try {
    error = errorIn(text);
  } catch {
    // Only its status is known.
  }
  return { name: error.name ?? 'UnknownError', message: error.message ?? 'The service gave no reason.' };
}
