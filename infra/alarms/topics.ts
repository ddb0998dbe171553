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
    ...(alarmEmail === undefined ? [] : [mailTopic(new Construct(scope, 'Topic'), alarmEmail)]),
    ...(alarmTopicArn === undefined ? [] : [Topic.fromTopicArn(scope, 'TopicOfAccount', alarmTopicArn)]),
  ];
}

/** A topic of the stage for a mail address, which has to confirm the subscription once. */
function mailTopic(scope: Construct, email: string): Topic {
  // This policy replaces SNS's default policy, so that only those named below may publish.
  const topic = new Topic(scope, 'Topic', { enforceSSL: true });
  const subscription = topic.addSubscription(new EmailSubscription(email));
  Validations.of(subscription).acknowledge({
    id: 'Serverless-SNSRedrivePolicy',
    reason: 'Nobody would read a queue of mails that did not arrive; the alarm itself goes on showing in CloudWatch.',
  });
  const letPublish = (service: string, conditions: Record<string, Record<string, string>> = {}) =>
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal(service)],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions,
      }),
    );
  // https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
  letPublish('cloudwatch.amazonaws.com', {
    StringEquals: { 'aws:SourceAccount': Stack.of(scope).account },
    ArnLike: { 'aws:SourceArn': alarmsOf(scope) },
  });
  // EventBridge does not name its rules to SNS, so with a condition no event would arrive:
  // https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-use-resource-based.html#eb-sns-permissions
  letPublish('events.amazonaws.com');
  return topic;
}

/** A pattern of the ARNs of the stage's alarms. */
const alarmsOf = (scope: Construct): string =>
  Stack.of(scope).formatArn({
    service: 'cloudwatch',
    resource: 'alarm',
    resourceName: `${prefixOf(scope)}-*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
