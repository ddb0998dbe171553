import type { Template } from 'aws-cdk-lib/assertions';
import { resourcesOf } from './resources.ts';

interface Rule {
  readonly ScheduleExpression?: string;
  readonly Targets?: unknown;
}

/** Of a month of 30 days, as CloudWatch charges metrics. */
export const MINUTES_A_MONTH = 30 * 24 * 60;

/** How many calls a month the stack has scheduled of functions with such a name. */
export const scheduledCalls = (stage: readonly Template[], name: RegExp): number =>
  resourcesOf<Rule>(stage, 'AWS::Events::Rule')
    .filter(({ Targets }) => name.test(JSON.stringify(Targets)))
    .reduce((sum, { ScheduleExpression }) => sum + callsBy(ScheduleExpression), 0);

/** @throws Error for a schedule that is not a number of minutes */
function callsBy(schedule: string | undefined): number {
  if (schedule === undefined) return 0;
  const [, minutes] = /^rate\((\d+) minutes?\)$/.exec(schedule) ?? [];
  if (minutes === undefined) throw new Error(`nobody knows how often that is: ${schedule}`);
  return MINUTES_A_MONTH / Number(minutes);
}
