import { Alarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { prefixOf } from '../stacks/stage-stack.ts';
import type { Measure } from './metric-math.ts';

interface AlarmProps extends Measure {
  /** What happened, in the mail. What to do then stands in `docs/operations.md`. */
  readonly meaning: string;
  /**
   * In how many of how many periods the measure has to be bad. One period more than has to be bad, at least: the last one may not be published
   * yet, and is filled with zeros.
   */
  readonly periods: readonly [bad: number, of: number];
}

/** The alarms about one thing. */
export abstract class Subject extends Construct {
  readonly #topic: ITopic | undefined;

  /** @param topic told when an alarm begins, and when it is over */
  constructor(scope: Construct, id: string, topic: ITopic | undefined) {
    super(scope, id);
    this.#topic = topic;
  }

  /** @param name as `docs/operations.md` lists it; the prefix of the stage goes before it */
  protected alarm(name: string, { metric, threshold, meaning, periods: [bad, of] }: AlarmProps): Alarm {
    const alarm = new Alarm(this, name, {
      alarmName: `${prefixOf(this)}-${name}`,
      alarmDescription: meaning,
      metric,
      threshold,
      datapointsToAlarm: bad,
      evaluationPeriods: of,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    if (this.#topic === undefined) return alarm;
    const tell = new SnsAction(this.#topic);
    alarm.addAlarmAction(tell);
    alarm.addOkAction(tell);
    return alarm;
  }
}
