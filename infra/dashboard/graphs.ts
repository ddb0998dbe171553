import {
  GraphWidget,
  type HorizontalAnnotation,
  type IMetric,
  type IWidget,
  MathExpression,
  Row,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import type { Counter } from '#telemetry/metrics';
import { counterMetric, type LogMetric } from '../metrics.ts';
import type { FunctionMetrics } from '../observed.ts';

/** The graphs of a dashboard. */

/** Columns of a dashboard: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html */
const COLUMNS = 24;

interface More {
  readonly stacked?: boolean;
  /** Horizontal lines at thresholds. */
  readonly leftAnnotations?: HorizontalAnnotation[];
}

/** A title, and what the graph shows. */
export type Graph = readonly [title: string, metrics: readonly IMetric[], more?: More];

/** Graphs beside each other. */
export const row = (...graphs: readonly Graph[]): IWidget =>
  new Row(
    ...graphs.map(
      ([title, left, more]) => new GraphWidget({ title, left: [...left], width: COLUMNS / graphs.length, ...more }),
    ),
  );

/** Fills a metric that is published only where it is not zero. */
export function filled(scope: Construct, name: Counter | LogMetric): IMetric {
  const id = name.charAt(0).toLowerCase() + name.slice(1);
  return new MathExpression({
    expression: `FILL(${id}, 0)`,
    usingMetrics: { [id]: counterMetric(scope, name) },
    label: name,
  });
}

/** The time that a function takes: half of the calls take less than p50. */
export const durations = (lambda: FunctionMetrics): readonly IMetric[] =>
  ['p50', 'p99'].map((statistic) => lambda.metric('Duration', { statistic, label: statistic }));

export const throttles = (lambda: FunctionMetrics): IMetric =>
  lambda.metric('Throttles', { statistic: 'Sum', label: 'throttled' });
