import { Stack } from 'aws-cdk-lib';
import { type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { rate } from './metric-math.ts';
import { Subject } from './subject.ts';

export class FirewallAlarms extends Subject {
  /** @param metricName of the web ACL, by which its metrics are known */
  constructor(scope: Construct, id: string, topic: ITopic | undefined, metricName: string) {
    super(scope, id, topic);
    const blocked = this.#requests('BlockedRequests', metricName);
    this.alarm('firewall-blocking', {
      ...rate({
        part: { blocked },
        whole: { blocked, allowed: this.#requests('AllowedRequests', metricName) },
        percent: 20,
        atLeast: 200,
      }),
      meaning: 'the firewall refused 20 % of the requests, and at least 200',
      periods: [1, 2],
    });
  }

  /** Over all rules. https://docs.aws.amazon.com/waf/latest/developerguide/waf-metrics.html */
  #requests(name: string, acl: string): IMetric {
    return new Metric({
      namespace: 'AWS/WAFV2',
      metricName: name,
      dimensionsMap: { WebACL: acl, Rule: 'ALL', Region: Stack.of(this).region },
      statistic: 'Sum',
    });
  }
}
