import type { getEndpointFromInstructions } from '@smithy/core/endpoints';
import type { HttpRequest, HttpResponse } from '@smithy/core/protocols';

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
