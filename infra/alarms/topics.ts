import { ArnFormat, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Settings } from '../settings.ts';
import { prefixOf } from '../stacks/stage-stack.ts';

/** Where the alarms of a stage go: to a mail address, to an existing topic of the account, to both, or nowhere. */
export function topicsOf(scope: Construct, { alarmEmail, alarmTopicArn }: Settings): readonly ITopic[] {
  return [
    ...(alarmEmail === undefined ? [] : [new AlarmTopic(scope, 'Topic', alarmEmail).topic]),
    ...(alarmTopicArn === undefined ? [] : [Topic.fromTopicArn(scope, 'TopicOfAccount', alarmTopicArn)]),
  ];
}

/** A topic of the stage for a mail address, which has to confirm the subscription once. */
class AlarmTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, email: string) {
    super(scope, id);
    // This policy replaces SNS's default policy, so that only those named below may publish.
    this.topic = new Topic(this, 'Topic', { enforceSSL: true });
    const subscription = this.topic.addSubscription(new EmailSubscription(email));
    Validations.of(subscription).acknowledge({
      id: 'Serverless-SNSRedrivePolicy',
      reason: 'Nobody would read a queue of mails that did not arrive; the alarm itself goes on showing in CloudWatch.',
    });
    // https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
    this.#letPublish('cloudwatch.amazonaws.com', {
      StringEquals: { 'aws:SourceAccount': Stack.of(this).account },
      ArnLike: { 'aws:SourceArn': alarmsOf(this) },
    });
    // EventBridge does not name its rules to SNS, so with a condition no event would arrive:
    // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html#eb-sns-permissions
    this.#letPublish('events.amazonaws.com');
  }

  #letPublish(service: string, conditions: Record<string, Record<string, string>> = {}): void {
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal(service)],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions,
      }),
    );
  }
}

/** A pattern of the ARNs of the stage's alarms. */
const alarmsOf = (scope: Construct): string =>
  Stack.of(scope).formatArn({
    service: 'cloudwatch',
    resource: 'alarm',
    resourceName: `${prefixOf(scope)}-*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
