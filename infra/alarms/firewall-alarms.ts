import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Firewall } from '../firewall.ts';
import { rate } from './metric-math.ts';
import { Subject } from './subject.ts';

export class FirewallAlarms extends Subject {
  constructor(scope: Construct, id: string, topics: readonly ITopic[], firewall: Firewall) {
    super(scope, id, topics);
    const blocked = firewall.requests('BlockedRequests');
    this.alarm('firewall-blocking', {
      ...rate({
        part: { blocked },
        whole: { blocked, allowed: firewall.requests('AllowedRequests') },
        percent: 20,
        atLeast: 200,
      }),
      meaning: 'the firewall refused 20 % of the requests, and at least 200',
      periods: [1, 2],
    });
  }
}
