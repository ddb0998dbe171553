import { AsyncLocalStorage } from 'node:async_hooks';
import type { Counter } from './metrics.ts';

/**
 * What is known of the invocation that is being served: annotations for its log lines, and counters for its metrics. It
 * belongs to the asynchronous context, because clients of AWS are shared by all requests of a process, and the local
 * gateway serves many at once.
 */

/** Ids and words of closed sets. No text of a caller and no name may become one. */
export interface Annotations {
  /** Id of the request at the gateway, which the response has in `X-Request-Id`. */
  readonly request_id?: string;
  /** Trace id of the W3C: 32 hexadecimal digits. */
  readonly trace_id?: string | undefined;
  readonly method?: string;
  /** Path of the route, with its parameters in braces. */
  readonly route?: string;
  /** Id of the operation. */
  readonly operation?: string;
  /** The tenant that the request acts in: `PLATFORM` or the id of an organization. */
  readonly tenant?: string;
  readonly integration_id?: string;
  /** Type of the problem that was returned, without its prefix. */
  readonly problem?: string;
  /** There where the problem is that others were writing the same items at the same time. */
  readonly contended?: true;
  /** Of a request that another one carries: its line, counted from 1. */
  readonly line?: number;
  /** There in the first request of a container that had to compile its code (`infra/bundling/start.ts`). */
  readonly code_cache?: 'missed';
  /** Why the authorizer refused. */
  readonly reason?: string;
}

export class Invocation {
  #annotations: Annotations;
  readonly #counts = new Map<Counter, number>();
  /** Read and write units of DynamoDB that were used. */
  units = 0;

  constructor(annotations: Annotations) {
    this.#annotations = annotations;
  }

  annotate(annotations: Annotations): void {
    this.#annotations = { ...this.#annotations, ...annotations };
  }

  count(counter: Counter, by = 1): void {
    if (by > 0) this.#counts.set(counter, (this.#counts.get(counter) ?? 0) + by);
  }

  get annotations(): Annotations {
    return this.#annotations;
  }

  /** The counters that are not zero. */
  get counts(): ReadonlyMap<Counter, number> {
    return this.#counts;
  }
}

const current = new AsyncLocalStorage<Invocation>();

/** Does some work on behalf of an invocation. */
export const within = <T>(invocation: Invocation, work: () => T): T => current.run(invocation, work);

/** The annotations of this invocation; none outside of one. */
export const annotations = (): Annotations => current.getStore()?.annotations ?? {};

/** Annotates this invocation. Does nothing outside of one, as in the operator's commands. */
export const annotate = (more: Annotations): void => current.getStore()?.annotate(more);

/** Adds to a counter of this invocation. Does nothing outside of one. */
export const increment = (counter: Counter, by = 1): void => current.getStore()?.count(counter, by);

/** Units of a part of an invocation, or outside of one. */
const meters = new AsyncLocalStorage<{ units: number }>();

/** Does work of which the units are known while it goes on. They count for its invocation as well. */
export const metered = <T>(work: (units: () => number) => T): T => {
  const meter = { units: 0 };
  return meters.run(meter, () => work(() => meter.units));
};

/**
 * Adds read or write units of DynamoDB to this invocation, and to what is {@link metered}. Does nothing outside of
 * them.
 */
export const countUnits = (units: number): void => {
  for (const counter of [current.getStore(), meters.getStore()])
    if (counter !== undefined && units > 0) counter.units += units;
};

/** The units that this invocation has used, its calls of DynamoDB, and how many were repeated; 0 outside of one. */
export const workBegun = (): { readonly units: number; readonly calls: number; readonly retries: number } => {
  const { units = 0, counts } = current.getStore() ?? {};
  return { units, calls: counts?.get('TableCalls') ?? 0, retries: counts?.get('TableRetries') ?? 0 };
};
