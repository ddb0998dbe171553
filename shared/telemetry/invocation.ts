import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../clock.ts';
import { BY_DOMAIN, type Counter, DURATION, type Outcome } from './metrics.ts';

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
  readonly user_id?: string;
  /** Type of the problem that was returned, without its prefix. */
  readonly problem?: string;
  /** There where the problem is that others were writing the same items at the same time. */
  readonly contended?: true;
  /** The line of an operation in its batch, counted from 1. */
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

/**
 * Annotates this invocation. Does nothing outside of one, as in the operator's commands.
 * @example annotate({ tenant: tenant.id });
 */
export const annotate = (more: Annotations): void => current.getStore()?.annotate(more);

/**
 * Adds to a counter of this invocation. Does nothing outside of one.
 * @example increment('KmsCalls');
 */
export const increment = (counter: Counter, by = 1): void => current.getStore()?.count(counter, by);

/** Units of a part of an invocation, or outside of one. */
const meters = new AsyncLocalStorage<{ units: number }>();

/**
 * Does work of which the units are known while it goes on. They count for its invocation as well.
 * @example await metered(async (units) => ({ report: await verify(), units: units() }));
 */
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

/** The parts of an API Gateway event that every line contains. */
interface Event {
  readonly httpMethod: string;
  readonly resource: string;
  readonly multiValueHeaders: Parameters<typeof traceIdOf>[0];
  readonly requestContext: { readonly requestId: string };
}

interface Observed<T> {
  readonly domain: string;
  /** Absent for work that no request asks for. */
  readonly event?: Event;
  readonly clock: Clock;
  /** Default: whether it succeeded. */
  readonly endOf?: (settled: PromiseSettledResult<T>) => Pick<EndedInvocation, 'outcome' | 'status'>;
}

const doneOrFailed = ({ status }: PromiseSettledResult<unknown>) =>
  ({ outcome: status === 'fulfilled' ? 'done' : 'failed' }) as const;

/** Whether this container has served nothing yet. */
let isCold = true;

/** Serves an invocation, and writes its line when it is over, whether it succeeds or not. */
export async function observe<T>(
  { domain, event, clock, endOf = doneOrFailed }: Observed<T>,
  work: () => Promise<T>,
): Promise<T> {
  const invocation = new Invocation(event === undefined ? {} : requestIn(event));
  if (isCold) {
    invocation.count('ColdStarts');
    if (process.env.CODE_CACHE === 'missed') invocation.annotate({ code_cache: 'missed' });
  }
  isCold = false;
  const began = clock();
  const [settled] = await within(invocation, () => Promise.allSettled([work()]));
  const at = clock();
  // The clock may be set back meanwhile.
  writeAccessLine({ invocation, domain, at, duration: Math.max(0, at - began), ...endOf(settled) });
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

const requestIn = ({ requestContext, multiValueHeaders, httpMethod, resource }: Event): Annotations => ({
  request_id: requestContext.requestId,
  trace_id: traceIdOf(multiValueHeaders),
  method: httpMethod,
  route: resource,
});

/** How an invocation ended. */
export interface EndedInvocation {
  readonly invocation: Invocation;
  /** Name of the contract, or `authorizer`. */
  readonly domain: string;
  readonly outcome: Outcome;
  /** HTTP status of the response, if there is one. */
  readonly status?: number | undefined;
  /** Epoch milliseconds. */
  readonly at: number;
  /** In milliseconds. */
  readonly duration: number;
}

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string; readonly Unit: 'Count' | 'Milliseconds' }[];
}

/**
 * The line of an invocation. It is also its record in the embedded metric format, so that metrics need no line of their
 * own:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function accessLine(ended: EndedInvocation, namespace: string): Readonly<Record<string, unknown>> {
  const { invocation, domain, outcome, status, at, duration } = ended;
  return {
    level: 'INFO',
    timestamp: new Date(at).toISOString(),
    message: 'request',
    ...invocation.annotations,
    domain,
    status,
    outcome,
    [DURATION]: duration,
    ...Object.fromEntries(invocation.counts),
    ...(invocation.units === 0 ? {} : { units: invocation.units }),
    _aws: { Timestamp: at, CloudWatchMetrics: directivesOf(invocation, namespace) },
  };
}

/** Two directives: every metric of a directive is published for all of its dimensions, and counters have none. */
function directivesOf({ counts }: Invocation, namespace: string): Directive[] {
  const duration: Directive = {
    Namespace: namespace,
    Dimensions: [BY_DOMAIN],
    Metrics: [{ Name: DURATION, Unit: 'Milliseconds' }],
  };
  if (counts.size === 0) return [duration];
  const Metrics = Array.from(counts.keys(), (Name) => ({ Name, Unit: 'Count' }) as const);
  return [duration, { Namespace: namespace, Dimensions: [[]], Metrics }];
}

/**
 * Writes the line of an invocation where `METRICS_NAMESPACE` is set, as it is in every stage. It does not use the
 * logger, whose level would switch metrics off, and which is loaded only when there is something to log
 * (`docs/decisions/0105-request-logs.md`).
 */
export function writeAccessLine(ended: EndedInvocation): void {
  const { METRICS_NAMESPACE: namespace } = process.env;
  if (!namespace) return;
  process.stdout.write(`${JSON.stringify(accessLine(ended, namespace))}\n`);
}

/** The trace that a request belongs to. */

type Headers = Readonly<Record<string, readonly string[] | undefined>>;

/**
 * Trace id of `traceparent` (https://www.w3.org/TR/trace-context/#traceparent-header), else of the header that API
 * Gateway adds, in the same form
 * (https://docs.aws.amazon.com/xray/latest/devguide/xray-api-sendingdata.html#xray-api-traceids). Headers that are
 * malformed are ignored.
 */
export function traceIdOf(headers: Headers | null): string | undefined {
  return parentTrace(valuesOf(headers, 'traceparent')) ?? gatewayTrace(valuesOf(headers, 'x-amzn-trace-id'));
}

/**
 * Version, trace id, parent id, flags. Only the first version ends here: later ones may have more fields. No version is
 * `ff`.
 */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(-.*)?$/;
const FIRST_VERSION = '00';
/** Longer than any trace that somebody has a reason to send, in characters. */
const LONGEST = 256;

function parentTrace(values: readonly string[]): string | undefined {
  const [value = '', ...others] = values;
  if (others.length > 0 || value.length > LONGEST) return undefined;
  const [, version, traceId, more] = TRACEPARENT.exec(value) ?? [];
  return version === FIRST_VERSION && more !== undefined ? undefined : known(traceId);
}

/** `Root=1-<time>-<random>;Sampled=0`, in any order. The gateway's own value comes last. */
const ROOT = /(?:^|;)Root=1-([\da-f]{8})-([\da-f]{24})(?:;|$)/;

function gatewayTrace(values: readonly string[]): string | undefined {
  const value = values.at(-1) ?? '';
  const [, time, random] = (value.length <= LONGEST && ROOT.exec(value)) || [];
  return time === undefined || random === undefined ? undefined : known(`${time}${random}`);
}

/** An id of zeros only is not a trace. */
const known = (traceId: string | undefined): string | undefined =>
  traceId === undefined || /^0+$/.test(traceId) ? undefined : traceId;

const valuesOf = (headers: Headers | null, name: string): readonly string[] =>
  Object.keys(headers ?? {})
    .filter((sent) => sent.length === name.length && sent.toLowerCase() === name)
    .flatMap((sent) => headers?.[sent] ?? []);
