import { ANY_ORIGIN, originsFor } from './cors.ts';
import { requestHeaders } from './request-headers.ts';
import type { Route } from './route.ts';
import { methodsOf } from './traits.ts';

/** The response to a browser that asks whether a page may send a request (`cors.ts`). The gateway sends it, without a function. */
export interface Preflight {
  /** `*` alone, or at least one. */
  readonly origins: readonly [string, ...string[]];
  readonly headers: Readonly<Record<string, string>>;
}

/** Longest time that a browser keeps it: two hours in Chromium. In seconds. */
const MAX_AGE = 7_200;

/** Request headers that need a preflight. One list for all routes, so that a client need not know which route takes which header. */
const ALLOWED_HEADERS: readonly string[] = [
  ...['Authorization', 'Content-Type', 'Content-Encoding', 'tracestate'],
  ...Object.keys(requestHeaders),
];

/** Methods that preflights of a path without routes allow, so that a page can read the 404. */
const METHODS = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'];

/**
 * The response to preflights of a path with these routes; without routes, of any other path.
 * @param ofStage the origins that the stage allows
 * @returns undefined where no page may call: then `OPTIONS` is a method like any other
 */
export function preflightOf(routes: readonly Route[], ofStage: readonly string[]): Preflight | undefined {
  const origins = routes.length === 0 ? ofStage : [...new Set(routes.flatMap((route) => originsFor(route, ofStage)))];
  const [first, ...others] = origins.includes(ANY_ORIGIN) ? [ANY_ORIGIN] : origins;
  if (first === undefined) return undefined;
  const methods = routes.length === 0 ? METHODS : routes.flatMap((route) => methodsOf(route)).toSorted();
  return {
    origins: [first, ...others],
    headers: {
      'Access-Control-Allow-Methods': methods.join(', '),
      'Access-Control-Allow-Headers': ALLOWED_HEADERS.join(', '),
      'Access-Control-Max-Age': String(MAX_AGE),
      ...(first === ANY_ORIGIN ? {} : { Vary: 'Origin' }),
    },
  };
}
