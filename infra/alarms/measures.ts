import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';

/**
 * Measures of alarms, computed from metrics by CloudWatch's metric math:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html. A count of zero is often not
 * published, and an expression has no value where one of its metrics has none. So each metric is filled with zeros.
 */

/** The period of an alarm. Quotas fill faster, so theirs is shorter. */
const PERIOD = Duration.minutes(5);
const PERIOD_OF_QUOTAS = Duration.minutes(1);

type Metrics = Readonly<Record<string, IMetric>>;

/** A value that raises the alarm from `threshold` on. */
export interface Measure {
  readonly metric: IMetric;
  readonly threshold: number;
  /** It raises the alarm below the threshold instead. */
  readonly below?: true;
}

interface RateProps {
  /** The failures, which are summed. Names are ids in the expression: they begin with a lower-case letter. */
  readonly part: Metrics;
  /** The total, which is summed. */
  readonly whole: Metrics;
  /** What is subtracted from the total. */
  readonly without?: Metrics;
  /** The percentage that raises the alarm. */
  readonly percent: number;
  /** The smallest number of failures that raises it: one failure of three requests means nothing. */
  readonly atLeast: number;
  readonly period?: Duration;
}

/** Percentage of a total. A small total counts as so large that `atLeast` failures are `percent` of it. */
export function rate({ part, whole, without, percent, atLeast, period = PERIOD }: RateProps): Measure {
  const floor = Math.floor((100 * atLeast) / percent);
  const all = without === undefined ? sumOf(whole) : `(${sumOf(whole)} - ${sumOf(without)})`;
  return {
    metric: new MathExpression({
      expression: `100 * ${sumOf(part)} / IF(${all} > ${floor}, ${all}, ${floor})`,
      usingMetrics: { ...part, ...whole, ...without },
      period,
    }),
    threshold: percent,
  };
}

interface PercentileProps {
  readonly value: IMetric;
  /** The number of samples. */
  readonly samples: IMetric;
  readonly threshold: number;
  /** With fewer samples the value counts as 0: the slowest one of a hundred is no 99th percentile of ten. */
  readonly minimum: number;
}

export const percentile = ({ value, samples, threshold, minimum }: PercentileProps): Measure => ({
  metric: new MathExpression({
    expression: `IF(FILL(samples, 0) >= ${minimum}, FILL(value, 0), 0)`,
    usingMetrics: { value, samples },
    period: PERIOD,
  }),
  threshold,
});

interface QuotaProps {
  readonly used: IMetric;
  /** The usage metric that the quota belongs to, where it is not `used` itself. */
  readonly quotaOf?: IMetric;
  readonly percent: number;
}

/**
 * Per cent of the account's quota:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch-Quotas-Visualize-Alarms.html
 */
export const quota = ({ used, quotaOf, percent }: QuotaProps): Measure => ({
  metric: new MathExpression({
    expression: `100 * FILL(used, 0) / SERVICE_QUOTA(${quotaOf === undefined ? 'used' : 'quota'})`,
    usingMetrics: { used, ...(quotaOf === undefined ? {} : { quota: quotaOf }) },
    period: PERIOD_OF_QUOTAS,
  }),
  threshold: percent,
});

function sumOf(metrics: Metrics): string {
  const terms = Object.keys(metrics).map((id) => `FILL(${id}, 0)`);
  return terms.length === 1 ? terms.join() : `(${terms.join(' + ')})`;
}
