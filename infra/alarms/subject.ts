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
import { Construct } from 'constructs';
import { prefixOf } from '../stacks/stage-stack.ts';
import type { Measure } from './metric-math.ts';

interface AlarmProps extends Measure, Omit<AlarmDescription, 'runbook'>, Partial<Pick<AlarmDescription, 'runbook'>> {
  /**
   * In how many of how many periods the measure must pass its threshold (M of N). Where a period is five minutes or
   * less, N is at least M + 1: the last period may not be published yet, and is filled with zeros.
   */
  readonly periods: readonly [bad: number, of: number];
  /** The state where nothing is published. Few alarms are raised then. */
  readonly missing?: TreatMissingData;
}

/** The alarms about one subject. */
export abstract class Subject extends Construct {
  readonly #topics: readonly ITopic[];

  /** @param topics notified when an alarm begins and when it ends */
  constructor(scope: Construct, id: string, topics: readonly ITopic[]) {
    super(scope, id);
    this.#topics = topics;
  }

  /** @param name as `docs/operations.md` lists it; the prefix of the stage goes before it */
  protected alarm(name: string, props: AlarmProps): Alarm {
    return this.#withActions(this.silentAlarm(name, props));
  }

  /** An alarm without notification, for a deployment or another alarm. */
  protected silentAlarm(name: string, props: AlarmProps): Alarm {
    const { metric, threshold, below, meaning, runbook = name, periods, missing } = props;
    const [bad, of] = periods;
    return new Alarm(this, name, {
      alarmName: `${prefixOf(this)}-${name}`,
      alarmDescription: descriptionOf({ meaning, runbook }),
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

  /** An alarm while all of these are raised. */
  protected allOf(name: string, meaning: string, alarms: readonly Alarm[]): void {
    const composite = new CompositeAlarm(this, name, {
      compositeAlarmName: `${prefixOf(this)}-${name}`,
      alarmDescription: descriptionOf({ meaning, runbook: name }),
      alarmRule: AlarmRule.allOf(...alarms.map((each) => AlarmRule.fromAlarm(each, AlarmState.ALARM))),
    });
    this.#withActions(composite);
  }

  #withActions<A extends AlarmBase>(alarm: A): A {
    const actions = this.#topics.map((topic) => new SnsAction(topic));
    alarm.addAlarmAction(...actions);
    alarm.addOkAction(...actions);
    return alarm;
  }
}

/** The text of an alarm's notification. */
export interface AlarmDescription {
  /** What happened. */
  readonly meaning: string;
  /** The row of the table in `docs/operations.md` with the remedy. */
  readonly runbook: string;
}

/** The words of the mail. Tests compare them with the page. */
export const descriptionOf = ({ meaning, runbook }: AlarmDescription): string =>
  `${meaning}. Runbook: docs/operations.md#alarm-${runbook}`;
