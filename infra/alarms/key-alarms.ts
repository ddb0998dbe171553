import { type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { countLines, THROTTLED_BY_KMS } from './log-metrics.ts';
import { quota, rate } from './metric-math.ts';
import { Subject } from './subject.ts';

interface KeyAlarmsProps {
  readonly topics: readonly ITopic[];
  /** Log groups of the functions that use keys, by their names. */
  readonly logs: ReadonlyMap<string, ILogGroup>;
  readonly requests: IMetric;
}

/**
 * Alarms for the KMS quotas of the account in this region. KMS publishes its calls but not its refusals, so refusals
 * are counted in the logs of functions that gave up.
 */
export class KeyAlarms extends Subject {
  constructor(scope: Construct, id: string, { topics, logs, requests }: KeyAlarmsProps) {
    super(scope, id, topics);
    // All log groups add to one metric.
    const [throttled] = Array.from(logs, ([name, group]) =>
      countLines(this, `Throttled-${name}`, group, 'ThrottledByKms', THROTTLED_BY_KMS),
    );
    if (throttled === undefined) throw new TypeError('no function uses a key');
    this.alarm('kms-throttled', {
      ...rate({ part: { throttled }, whole: { requests }, percent: 1, atLeast: 5 }),
      meaning: '1 % of the requests, and at least 5, failed because KMS throttled them',
      periods: [1, 2],
    });
    this.alarm('kms-quota', {
      ...quota({ used: callsOfKms('Symmetric'), percent: 80 }),
      meaning: '80 % of the calls with symmetric keys that KMS allows the account in this region were made',
      periods: [3, 5],
    });
    this.alarm('kms-signing-quota', {
      ...quota({ used: callsOfKms('Ecc'), percent: 80 }),
      meaning: '80 % of the signatures that KMS allows the account in this region were made',
      periods: [3, 5],
    });
  }
}

/**
 * KMS calls of the account in this region, by quota. Symmetric keys encrypt secrets; elliptic curve keys sign tokens.
 * https://aws.amazon.com/blogs/security/manage-your-aws-kms-api-request-rates-using-service-quotas-and-amazon-cloudwatch/
 */
export const callsOfKms = (kind: 'Symmetric' | 'Ecc'): Metric =>
  new Metric({
    namespace: 'AWS/Usage',
    metricName: 'CallCount',
    dimensionsMap: { Service: 'KMS', Type: 'API', Resource: `CryptographicOperations${kind}`, Class: 'None' },
    statistic: 'Sum',
  });
