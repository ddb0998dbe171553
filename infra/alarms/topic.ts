import { ArnFormat, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { prefixOf } from '../stacks/stage-stack.ts';

/** Where the alarms of a stage go: to an address, which has to confirm once that it wants them. */
export class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, email: string) {
    super(scope, id);
    // The policy that this makes takes the place of the one that SNS gives a topic, so that nobody may publish who is not let in below.
    this.topic = new Topic(this, 'Topic', { enforceSSL: true });
    const subscription = this.topic.addSubscription(new EmailSubscription(email));
    Validations.of(subscription).acknowledge({
      id: 'Serverless-SNSRedrivePolicy',
      reason: 'Nobody would read a queue of mails that did not arrive; the alarm itself goes on showing in CloudWatch.',
    });
    this.#letAlarmsPublish();
  }

  /** https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html */
  #letAlarmsPublish(): void {
    const { account } = Stack.of(this);
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: {
          StringEquals: { 'aws:SourceAccount': account },
          ArnLike: {
            'aws:SourceArn': Stack.of(this).formatArn({
              service: 'cloudwatch',
              resource: 'alarm',
              resourceName: `${prefixOf(this)}-*`,
              arnFormat: ArnFormat.COLON_RESOURCE_NAME,
            }),
          },
        },
      }),
    );
  }
}
