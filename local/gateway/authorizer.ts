import { performance } from 'node:perf_hooks';
import * as z from 'zod';
import { type AuthorizerValues, authorizerEvent, headerOf, methodArn, type RoutedRequest } from './event.ts';
import { accessDenied, failure, uriTooLong } from './failure.ts';
import type { Invoke } from './invoke.ts';
import type { GatewaySettings } from './options.ts';

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

/**
 * The response of a Lambda authorizer:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html A policy that
 * this module cannot evaluate, such as one with a condition, counts as malformed: the gateway fails closed.
 */

const oneOrMore = z.union([z.string().transform((one) => [one]), z.array(z.string())]);

const statementSchema = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(['Allow', 'Deny']),
  Action: oneOrMore,
  Resource: oneOrMore,
});

const authorizationSchema = z.strictObject({
  principalId: z.string().min(1),
  policyDocument: z.strictObject({
    Version: z.string().optional(),
    Statement: z.union([statementSchema.transform((one) => [one]), z.array(statementSchema)]),
  }),
  context: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullish(),
  usageIdentifierKey: z.string().nullish(),
});

export type Authorization = z.output<typeof authorizationSchema>;

/** @throws ZodError when the response is malformed */
export const authorizationOf = (response: unknown): Authorization => authorizationSchema.parse(response);

/** Whether the policy lets the method be invoked: a statement allows it and none denies it. */
export function isAllowed({ policyDocument }: Authorization, methodArn: string): boolean {
  const effects = policyDocument.Statement.filter(
    ({ Action, Resource }) =>
      Action.some((pattern) => matches(pattern.toLowerCase(), 'execute-api:invoke')) &&
      Resource.some((pattern) => matches(pattern, methodArn)),
  ).map(({ Effect }) => Effect);
  return effects.includes('Allow') && !effects.includes('Deny');
}

/** IAM's wildcards: `*` stands for any text, also across slashes, and `?` for one character. */
function matches(pattern: string, text: string): boolean {
  if (!/[*?]/.test(pattern)) return pattern === text;
  const expression = pattern.split(/([*?])/).map((part) => {
    if (part === '*') return '.*';
    return part === '?' ? '.' : part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
  });
  return new RegExp(`^${expression.join('')}$`, 's').test(text);
}

/** The part that functions see: every value of the context as text. */
export const contextValues = ({ principalId, context }: Authorization): Record<string, string> => ({
  ...Object.fromEntries(
    Object.entries(context ?? {})
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, String(value)]),
  ),
  principalId,
});
