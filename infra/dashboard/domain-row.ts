import { type IMetric, type IWidget, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { type Outcome, STATUS_CLASSES } from '#telemetry/metrics';
import { ended } from '../metrics.ts';
import type { FunctionMetrics } from '../observed.ts';
import { durations, row, throttles } from './graphs.ts';

/** The row of a domain: requests, failures, latency, and calls that Lambda did not carry out. */
export const domainRow = (scope: Construct, domain: string, lambda: FunctionMetrics): IWidget =>
  row(
    [`${domain}: requests`, STATUS_CLASSES.map((outcome) => ended(scope, domain, outcome)), { stacked: true }],
    [`${domain}: errors in per cent`, [share(scope, domain, '4xx'), share(scope, domain, '5xx')]],
    [`${domain}: time in ms`, durations(lambda)],
    [
      `${domain}: throttled and crashed`,
      [throttles(lambda), lambda.metric('Errors', { statistic: 'Sum', label: 'crashed' })],
    ],
  );

/** Percentage of a domain's requests with this outcome. */
function share(scope: Construct, domain: string, outcome: Outcome): IMetric {
  const idOf = (each: Outcome): string => `of${each}`;
  return new MathExpression({
    expression: `100 * FILL(${idOf(outcome)}, 0) / (${STATUS_CLASSES.map((each) => `FILL(${idOf(each)}, 0)`).join(' + ')})`,
    usingMetrics: Object.fromEntries(STATUS_CLASSES.map((each) => [idOf(each), ended(scope, domain, each)])),
    label: outcome,
  });
}
