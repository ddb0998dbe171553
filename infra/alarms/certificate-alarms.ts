import { Duration } from 'aws-cdk-lib';
import { Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { Subject } from './subject.ts';

/**
 * Alarms for the certificate of a custom domain. Certificate Manager renews its own certificates about 60 days before
 * they expire, and never renews imported ones. https://docs.aws.amazon.com/acm/latest/userguide/cloudwatch-metrics.html
 */
export class CertificateAlarms extends Subject {
  constructor(scope: Construct, id: string, topics: readonly ITopic[], certificateArn: string) {
    super(scope, id, topics);
    this.alarm('certificate-expiring', {
      metric: new Metric({
        namespace: 'AWS/CertificateManager',
        metricName: 'DaysToExpiry',
        dimensionsMap: { CertificateArn: certificateArn },
        statistic: 'Minimum',
        period: Duration.days(1),
      }),
      threshold: 30,
      below: true,
      meaning: 'the certificate of the stage’s domain expires in less than 30 days',
      periods: [1, 1],
      // AWS publishes no metric for an expired certificate.
      missing: TreatMissingData.IGNORE,
    });
  }
}
