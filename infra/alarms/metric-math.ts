import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';

/**
 * What alarms compute from metrics, in the language of CloudWatch:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html. A count that is zero is often not published, and
 * an expression has no value where one of its metrics has none: so each of them is filled with zeros.
 */

/** Over what an alarm looks at a time: quotas fill faster than the others turn bad. */
const PERIOD = Duration.minutes(5);
const PERIOD_OF_QUOTAS = Duration.minutes(1);

type Metrics = Readonly<Record<string, IMetric>>;

/** A value that is bad from `threshold` on. */
export interface Measure {
  readonly metric: IMetric;
  readonly threshold: number;
  /** It is bad below the threshold instead. */
  readonly below?: true;
}

interface RateProps {
  /** How many did badly, summed. Names are ids in the expression: they begin with a lower-case letter. */
  readonly part: Metrics;
  /** The total to compare with, summed. */
  readonly whole: Metrics;
  /** What does not count of the whole, summed. */
  readonly without?: Metrics;
  /** From how many per cent on it is bad. */
  readonly percent: number;
  /** But not with fewer than so many that did badly: one failure of three requests says nothing. */
  readonly atLeast: number;
  readonly period?: Duration;
}

/** Per cent of a whole, which counts as large enough for `atLeast` of it to be `percent`. */
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
  /** How many there were to take the percentile of. */
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

/** Per cent of the account's quota: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch-Quotas-Visualize-Alarms.html */
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
