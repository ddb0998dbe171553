import { performance } from 'node:perf_hooks';
import * as z from 'zod';
import { type AuthorizerValues, authorizerEvent, headerOf, methodArn, type RoutedRequest } from './event.ts';
import { accessDenied, failure, uriTooLong } from './failure.ts';
import type { Invoke } from './invoke.ts';
import type { GatewaySettings } from './options.ts';
import { type Authorization, authorizationOf, contextValues, isAllowed } from './policy.ts';

/** Returns the part of the caller that functions see. @throws GatewayFailure 401 or 503 */
export type Authorize = (routed: RoutedRequest) => Promise<AuthorizerValues>;

type AuthorizerSettings = Pick<GatewaySettings, 'authorizer' | 'authorizerTtlSeconds'>;

interface Cached {
  readonly authorization: Authorization;
  /** Epoch milliseconds. */
  readonly expires: number;
}

/** Most responses that are kept; the oldest is dropped first. */
const CACHE_SIZE = 10_000;

/**
 * A REQUEST authorizer whose identity source is the `Authorization` header: without one it is not called, and its
 * response, allow or deny, is kept by the header's value for all routes. An authorizer that throws is never kept.
 */
export function headerAuthorizer(settings: AuthorizerSettings, invoke: Invoke): Authorize {
  const cache = new Map<string, Cached>();
  return async (routed) => {
    assertArnFits(routed);
    const identity = headerOf(routed.incoming, 'authorization')?.trim() ?? '';
    if (identity === '') throw failure('UNAUTHORIZED');
    const kept = cache.get(identity);
    if (kept !== undefined && kept.expires > Date.now()) return permitted(routed, kept.authorization, 0);
    const { authorization, latency } = await ask(settings.authorizer, invoke, routed);
    cache.delete(identity);
    cache.set(identity, { authorization, expires: Date.now() + settings.authorizerTtlSeconds * 1000 });
    for (const oldest of cache.keys()) {
      if (cache.size <= CACHE_SIZE) break;
      cache.delete(oldest);
    }
    return permitted(routed, authorization, latency);
  };
}

/** An authorizer without identity source and without cache: it is called for every request, with a token or without. */
export const plainAuthorizer =
  (settings: AuthorizerSettings, invoke: Invoke): Authorize =>
  async (routed) => {
    assertArnFits(routed);
    const { authorization, latency } = await ask(settings.authorizer, invoke, routed);
    return permitted(routed, authorization, latency);
  };

/** Longest ARN of a method with an authorizer, with the path that was called, in bytes. */
const LONGEST_ARN = 1_600;

/** @throws GatewayFailure 414 */
function assertArnFits(routed: RoutedRequest): void {
  if (Buffer.byteLength(methodArn(routed)) > LONGEST_ARN) throw uriTooLong();
}

async function ask(
  name: string,
  invoke: Invoke,
  routed: RoutedRequest,
): Promise<{ authorization: Authorization; latency: number }> {
  const start = performance.now();
  try {
    const authorization = authorizationOf(await invoke(name, authorizerEvent(routed)));
    return { authorization, latency: Math.round(performance.now() - start) };
  } catch (error) {
    if (error instanceof Error && error.message === 'Unauthorized') throw failure('UNAUTHORIZED');
    throw failure(error instanceof z.ZodError ? 'AUTHORIZER_CONFIGURATION_ERROR' : 'AUTHORIZER_FAILURE', error);
  }
}

function permitted(routed: RoutedRequest, authorization: Authorization, integrationLatency: number): AuthorizerValues {
  if (!isAllowed(authorization, methodArn(routed))) throw accessDenied(contextValues(authorization));
  return { ...contextValues(authorization), integrationLatency };
}
