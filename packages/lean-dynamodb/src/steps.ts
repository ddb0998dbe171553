import { randomUUID } from 'node:crypto';
import type { getEndpointFromInstructions } from '@smithy/core/endpoints';
import type { HttpRequest, HttpResponse } from '@smithy/core/protocols';
import {
  getRetryPlugin,
  INVOCATION_ID_HEADER,
  REQUEST_HEADER,
  retryMiddlewareOptions,
  StandardRetryStrategy,
} from '@smithy/core/retry';

/** The middlewares of an SDK's client, as far as our own steps deal with them. */

export interface ServiceCall {
  readonly input: object;
  readonly request: HttpRequest;
  /** Ends the attempt that is under way, and prevents further ones. */
  readonly abortSignal?: AbortSignal | undefined;
}
export interface Responded {
  readonly response: HttpResponse;
  readonly output?: unknown;
}
export type Next = (call: ServiceCall) => Promise<Responded>;
export type Middleware = (next: Next) => Next;

export type EndpointV2 = Awaited<ReturnType<typeof getEndpointFromInstructions>>;

/** What the SDK's parts pass to each other. */
export interface Context {
  /** Where a call goes, and in whose name it is signed. */
  endpointV2?: EndpointV2;
  readonly [key: string]: unknown;
}

/**
 * A call of AWS by the middlewares of an SDK's client. Our own steps write the request, have it signed and read the
 * response. Retries, credentials, signatures and the correction of the clock stay the SDK's
 * (`docs/decisions/0122-lean-client.md`).
 */

/** Steps of the SDK that ours replace. What others add to a client stays. */
const REPLACED = [
  'httpAuthSchemeMiddleware',
  'serializerMiddleware',
  'contentLengthMiddleware',
  'hostHeaderMiddleware',
  'httpSigningMiddleware',
  'deserializerMiddleware',
];

interface Stack {
  clone(): Stack;
  remove(name: string): boolean;
  add(step: never, place: { readonly step?: 'serialize' | 'deserialize'; readonly name: string }): void;
  addRelativeTo(
    step: never,
    place: { readonly relation: 'after'; readonly toMiddleware: string; readonly name: string },
  ): void;
  resolve(send: never, context: never): unknown;
}

/** What this needs of an SDK's client, whichever its service. */
export interface SdkClient {
  readonly config: SdkConfig;
  readonly middlewareStack: { clone(): unknown };
}

interface SdkConfig extends RetryConfig {
  readonly httpAuthSchemes: readonly { readonly schemeId: string; readonly signer: unknown }[];
  readonly logger?: unknown;
}

interface Signer {
  sign(request: HttpRequest, identity: object, properties: object): Promise<unknown>;
  errorHandler?(properties: object): (error: Error) => never;
  successHandler?(response: HttpResponse, properties: object): void;
}

/** Makes the request from a call's input, and the result from its response. */
export interface OwnSteps {
  readonly request: Middleware;
  readonly response: Middleware;
}

/**
 * The way of a call through the middlewares of a client.
 * @param send sends a signed request
 * @param without further middlewares to leave out
 */
export function wayThrough(
  { config, middlewareStack }: SdkClient,
  context: Context,
  { request, response }: OwnSteps,
  send: (request: HttpRequest, abortSignal?: AbortSignal) => Promise<{ readonly response: HttpResponse }>,
  without: readonly string[] = [],
): (call: Pick<ServiceCall, 'input' | 'abortSignal'>) => Promise<{ readonly output: unknown }> {
  const stack = middlewareStack.clone() as Stack;
  for (const name of [...REPLACED, ...without]) stack.remove(name);
  stack.add(request as never, { step: 'serialize', name: 'serializerMiddleware' });
  stack.add(retrying(config, context) as never, retryMiddlewareOptions as { readonly name: string });
  stack.addRelativeTo(signing(config, context) as never, {
    relation: 'after',
    toMiddleware: 'retryMiddleware',
    name: 'httpSigningMiddleware',
  });
  stack.add(response as never, { step: 'deserialize', name: 'deserializerMiddleware' });
  const sendRequest = (call: ServiceCall) => send(call.request, call.abortSignal);
  return stack.resolve(sendRequest as never, context as never) as ReturnType<typeof wayThrough>;
}

/**
 * A response that came so long after its request waited until a paused process went on, and its `Date` is of before:
 * longer than calls may take, shorter than a difference of clocks that counts, by the second that a `Date` may be
 * behind. In milliseconds.
 */
const LONGEST_CALL = 3_000;

/**
 * Signs as the SDK does. The SDK's own step chooses among several ways for every call; these services have one. It
 * would believe a `Date` up to 15 minutes after the request: Lambda freezes functions, and the next call would be
 * signed, and leases dated, by a time of before.
 */
function signing(config: SdkConfig, context: Context): Middleware {
  const signer = config.httpAuthSchemes.find(({ schemeId }) => schemeId === 'aws.auth#sigv4')?.signer as
    | Signer
    | undefined;
  if (signer === undefined) throw new Error('the client does not sign with SigV4');
  return (next) => async (call) => {
    const scheme = context.endpointV2?.properties?.authSchemes?.[0];
    const { signingRegion, signingName } = scheme ?? {};
    const properties = { config, context, signingRegion, signingName };
    const request = await signer.sign(call.request, {}, properties);
    const sent = Date.now();
    const isInTime = (): boolean => Date.now() - sent < LONGEST_CALL;
    const responded = await next({ ...call, request: request as HttpRequest }).catch((error: Error) => {
      if (isInTime()) signer.errorHandler?.(properties)(error);
      throw error;
    });
    if (isInTime()) signer.successHandler?.(responded.response, properties);
    return responded;
  };
}

/** The `$metadata` of the SDK's results and errors. */
export const responseMetadataOf = ({ statusCode, headers }: HttpResponse) => ({
  httpStatusCode: statusCode,
  requestId: headers['x-amzn-requestid'] ?? headers['x-amzn-request-id'] ?? headers['x-amz-request-id'],
  extendedRequestId: headers['x-amz-id-2'],
  cfId: headers['x-amz-cf-id'],
});

/**
 * The SDK's retries for calls that nearly always succeed at once: its own step begins only where the first attempt has
 * failed, and counts that attempt (`docs/decisions/0122-lean-client.md`).
 */

/** The settings of a client that its retries need. */
export type RetryConfig = Omit<Parameters<typeof getRetryPlugin>[0], 'logger'>;

export function retrying(config: RetryConfig, context: Context): Middleware {
  const bySdk = sdkStep(config);
  let first: FirstAttempt | undefined;
  return (next) => async (call) => {
    first ??= await firstAttempt(config);
    const { strategy, token, header } = first;
    // Any other strategy may want to wait before a first attempt.
    if (strategy === undefined) return bySdk(next, context)(call);
    const { headers } = call.request;
    const id = randomUUID();
    headers[INVOCATION_ID_HEADER] = id;
    headers[REQUEST_HEADER] = header;
    let responded: Responded;
    try {
      responded = await next(call);
    } catch (error) {
      return bySdk(failed(error, id, next), context)(call);
    }
    strategy.recordSuccess(token);
    Object.assign((responded.output as { $metadata: object }).$metadata, { attempts: 1, totalRetryDelay: 0 });
    return responded;
  };
}

/** The attempts of a call whose first one has failed. */
function failed(error: unknown, invocationId: string, next: Next): Next {
  let isFirst = true;
  return async (call) => {
    call.request.headers[INVOCATION_ID_HEADER] = invocationId;
    if (!isFirst) return next(call);
    isFirst = false;
    throw error;
  };
}

interface FirstAttempt {
  readonly strategy: StandardRetryStrategy | undefined;
  readonly token: Parameters<StandardRetryStrategy['recordSuccess']>[0];
  readonly header: string;
}

async function firstAttempt(config: RetryConfig): Promise<FirstAttempt> {
  const [strategy, maxAttempts] = await Promise.all([config.retryStrategy(), config.maxAttempts()]);
  const standard = strategy instanceof StandardRetryStrategy ? strategy : undefined;
  const token = await (standard ?? new StandardRetryStrategy(maxAttempts)).acquireInitialRetryToken('');
  return { strategy: standard, token, header: `attempt=1; max=${maxAttempts}` };
}

type Step = (next: Next, context: Context) => Next;

/** The SDK's own step, which it gives only to a stack of middlewares. */
function sdkStep(config: RetryConfig): Step {
  let step: Step | undefined;
  const collector = { add: (added: never) => (step = added) };
  getRetryPlugin(config as never).applyToStack(collector as never);
  if (step === undefined) throw new Error('the SDK has no step for retries');
  return step;
}
