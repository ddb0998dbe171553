import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { countLines, DENIED_BY_AWS } from './log-metrics.ts';
import { Subject } from './subject.ts';

/**
 * Whether AWS denied a function what it asked for. Under a tenant's session that is the boundary between tenants at work: a bug, or somebody who tries. Under a
 * function's own role it is a right that is missing. Neither is ever right, so one line is enough.
 */
export class AccessAlarms extends Subject {
  /** @param logs of the functions, by their names */
  constructor(scope: Construct, id: string, topics: readonly ITopic[], logs: ReadonlyMap<string, ILogGroup>) {
    super(scope, id, topics);
    // All of them add to one metric. It is published where there is such a line, and then alone paid for.
    const [denied] = Array.from(logs, ([name, group]) =>
      countLines(this, `Denied-${name}`, group, 'AccessDenied', DENIED_BY_AWS, { withZeros: false }),
    );
    if (denied === undefined) throw new TypeError('no function writes a log');
    this.alarm('access-denied', {
      metric: denied,
      threshold: 1,
      meaning: 'AWS denied a function what it asked for, in a tenant’s session or by itself',
      periods: [1, 2],
    });
  }
}
