import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Route } from '#contract';
import { countLines, routeRespondedWith } from './log-metrics.ts';
import { rate } from './metric-math.ts';
import { Subject } from './subject.ts';

interface LoginAlarmsProps {
  readonly topics: readonly ITopic[];
  readonly accessLogs: ILogGroup;
  readonly route: Pick<Route, 'method' | 'path'>;
  /** Invocations of the function that serves the login. */
  readonly attempts: IMetric;
}

/** Alarms when somebody guesses secrets, or an integration uses an outdated one. */
export class LoginAlarms extends Subject {
  constructor(scope: Construct, id: string, { topics, accessLogs, route, attempts }: LoginAlarmsProps) {
    super(scope, id, topics);
    // 429 is for callers who have failed too often and have to wait.
    const failed = countLines(this, 'Failed', accessLogs, 'FailedLogins', routeRespondedWith(route, 401, 429));
    this.alarm('login-failing', {
      ...rate({ part: { failed }, whole: { attempts }, percent: 50, atLeast: 50 }),
      meaning: '50 % of the logins, and at least 50, were refused, in two periods of five minutes',
      periods: [2, 3],
    });
  }
}
