import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmBase,
  AlarmRule,
  AlarmState,
  ComparisonOperator,
  CompositeAlarm,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { prefixOf } from '../stacks/stage-stack.ts';

/** A row of the table of alarms (`rows.ts`): what is measured, and from which value on the alarm is raised. */
export interface AlarmRow extends Measure {
  /** As `docs/operations.md` lists it; the prefix of the stage goes before it. */
  readonly name: string;
  /** What happened. */
  readonly meaning: string;
  /** The row of the table in `docs/operations.md` with the remedy; default: the alarm's name. */
  readonly runbook?: string;
  /**
   * In how many of how many periods the measure must pass its threshold (M of N). Where a period is five minutes or
   * less, N is at least M + 1: the last period may not be published yet, and is filled with zeros.
   */
  readonly periods: readonly [bad: number, of: number];
  /** The state where nothing is published. Few alarms are raised then. */
  readonly missing?: TreatMissingData;
}

/** An alarm that is raised while all of these are. They themselves notify nobody. */
export interface CompositeRow extends Pick<AlarmRow, 'name' | 'meaning'> {
  readonly allOf: readonly AlarmRow[];
}

/** Makes an alarm that notifies these topics when it begins and when it ends. */
export function addAlarm(scope: Construct, row: AlarmRow | CompositeRow, topics: readonly ITopic[]): void {
  if ('allOf' in row) notify(compositeAlarm(scope, row), topics);
  else notify(silentAlarm(scope, row), topics);
}

/** An alarm without notification, for a deployment or another alarm. */
export function silentAlarm(scope: Construct, row: AlarmRow): Alarm {
  const { name, metric, threshold, below, periods, missing } = row;
  const [bad, of] = periods;
  return new Alarm(scope, name, {
    alarmName: `${prefixOf(scope)}-${name}`,
    alarmDescription: descriptionOf(row),
    metric,
    threshold,
    datapointsToAlarm: bad,
    evaluationPeriods: of,
    comparisonOperator: below
      ? ComparisonOperator.LESS_THAN_THRESHOLD
      : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
  });
}

function compositeAlarm(scope: Construct, row: CompositeRow): CompositeAlarm {
  const parts = row.allOf.map((each) => silentAlarm(scope, each));
  return new CompositeAlarm(scope, row.name, {
    compositeAlarmName: `${prefixOf(scope)}-${row.name}`,
    alarmDescription: descriptionOf(row),
    alarmRule: AlarmRule.allOf(...parts.map((each) => AlarmRule.fromAlarm(each, AlarmState.ALARM))),
  });
}

function notify(alarm: AlarmBase, topics: readonly ITopic[]): void {
  const actions = topics.map((topic) => new SnsAction(topic));
  alarm.addAlarmAction(...actions);
  alarm.addOkAction(...actions);
}

/** The words of the mail. Tests compare them with the page. */
export const descriptionOf = ({
  name,
  meaning,
  runbook = name,
}: Pick<AlarmRow, 'name' | 'meaning' | 'runbook'>): string =>
  `${meaning}. Runbook: docs/operations.md#alarm-${runbook}`;

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
