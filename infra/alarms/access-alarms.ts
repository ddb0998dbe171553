import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { countLines, DENIED_BY_AWS } from './log-metrics.ts';
import { Subject } from './subject.ts';

/**
 * Alarms when AWS denies a call of a function. In a tenant's session, the boundary between tenants denied it: a bug or
 * an attack. Under a function's own role, a right is missing. Both are always wrong, so one line raises the alarm.
 */
export class AccessAlarms extends Subject {
  /** @param logs log groups of the functions, by name */
  constructor(scope: Construct, id: string, topics: readonly ITopic[], logs: ReadonlyMap<string, ILogGroup>) {
    super(scope, id, topics);
    // All log groups add to one metric, which is published and paid for only when a line matches.
    const [denied] = Array.from(logs, ([name, group]) =>
      countLines(this, `Denied-${name}`, group, 'AccessDenied', DENIED_BY_AWS, { withZeros: false }),
    );
    if (denied === undefined) throw new TypeError('no function writes a log');
    this.alarm('access-denied', {
      metric: denied,
      threshold: 1,
      meaning: 'AWS denied a call of a function, in a tenant’s session or under its own role',
      periods: [1, 2],
    });
  }
}
