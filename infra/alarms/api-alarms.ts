import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { apiMetric } from '../metrics.ts';
import { countLines, respondedWith } from './log-metrics.ts';
import { percentile, rate } from './metric-math.ts';
import { Subject } from './subject.ts';

interface ApiAlarmsProps {
  readonly topics: readonly ITopic[];
  readonly accessLogs: ILogGroup;
  readonly requests: IMetric;
}

/** Alarms for slow responses and refused requests. `objective-alarms.ts` has those for failures. */
export class ApiAlarms extends Subject {
  constructor(scope: Construct, id: string, { topics, accessLogs, requests }: ApiAlarmsProps) {
    super(scope, id, topics);
    this.alarm('api-slow', {
      ...percentile({
        value: apiMetric(this, 'Latency', { statistic: 'p99' }),
        samples: requests,
        minimum: 100,
        threshold: 3_000,
      }),
      meaning: '1 % of at least 100 requests took more than 3 s, for a quarter of an hour',
      periods: [3, 4],
    });
    this.alarm('api-429', {
      ...rate({
        part: { refused: countLines(this, 'TooManyRequests', accessLogs, 'TooManyRequests', respondedWith(429)) },
        whole: { requests },
        percent: 10,
        atLeast: 100,
      }),
      meaning: '10 % of the requests, and at least 100, were refused as too many, in two periods of five minutes',
      periods: [2, 3],
    });
  }
}
