import {
  Alarm,
  type AlarmBase,
  AlarmRule,
  AlarmState,
  ComparisonOperator,
  CompositeAlarm,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { prefixOf } from '../stacks/stage-stack.ts';
import type { Measure } from './measures.ts';

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
