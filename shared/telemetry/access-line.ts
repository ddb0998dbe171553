import type { Invocation } from './invocation.ts';
import { BY_DOMAIN, DURATION, type Outcome } from './metrics.ts';

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
