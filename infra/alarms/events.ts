import { Stack, Validations } from 'aws-cdk-lib';
import { EventField, type EventPattern, type IRuleTarget, Match, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { prefixOf, stackNames } from '../stacks/stage-stack.ts';
import { type AlarmRow, descriptionOf } from './alarm.ts';

interface EventsProps {
  readonly topics: readonly ITopic[];
  readonly stage: string;
  /** ARNs of the keys. */
  readonly keys: readonly string[];
  /** ARN of the table, where it has daily backups. */
  readonly backedUp: string | undefined;
}

/** EventBridge rules for events that no metric shows. AWS sends each event once, free of charge. */
export class Events extends Construct {
  readonly #topics: readonly ITopic[];

  constructor(scope: Construct, id: string, { topics, stage, keys, backedUp }: EventsProps) {
    super(scope, id);
    this.#topics = topics;
    this.#watchDeployments(stage);
    this.#watchKeys(keys);
    if (backedUp !== undefined) this.#watchBackups(backedUp);
  }

  /** https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/event-detail-stack-status-change.html */
  #watchDeployments(stage: string): void {
    const stacks = stackNames(stage).map((name) =>
      Stack.of(this).formatArn({ service: 'cloudformation', resource: 'stack', resourceName: `${name}/` }),
    );
    this.#notify('deployment-failed', {
      meaning: 'a deployment failed, and CloudFormation rolls it back or could not',
      what: `${field('stack-id')} ${field('status-details.status')}`,
      pattern: {
        source: ['aws.cloudformation'],
        detailType: ['CloudFormation Stack Status Change'],
        detail: {
          'stack-id': stacks.map((arn) => ({ prefix: arn })),
          'status-details': {
            status: [
              'ROLLBACK_IN_PROGRESS',
              'UPDATE_ROLLBACK_IN_PROGRESS',
              'CREATE_FAILED',
              'UPDATE_FAILED',
              'DELETE_FAILED',
              'ROLLBACK_FAILED',
              'UPDATE_ROLLBACK_FAILED',
            ],
          },
        },
      },
    });
  }

  /**
   * These events come from CloudTrail, so the account needs a trail: `custodia doctor` checks for one.
   * https://docs.aws.amazon.com/kms/latest/developerguide/ct-schedule-key-deletion.html
   */
  #watchKeys(keys: readonly string[]): void {
    this.#notify('key-disabled', {
      meaning: 'a key of the stage was disabled or scheduled for deletion',
      what: `${field('eventName')} of ${field('resources[0].ARN')} by ${field('userIdentity.arn')}`,
      pattern: {
        source: ['aws.kms'],
        detailType: ['AWS API Call via CloudTrail'],
        detail: {
          eventSource: ['kms.amazonaws.com'],
          eventName: ['DisableKey', 'ScheduleKeyDeletion'],
          resources: { ARN: keys },
          errorCode: Match.doesNotExist(),
        },
      },
    });
  }

  /** https://docs.aws.amazon.com/aws-backup/latest/devguide/eventbridge.html */
  #watchBackups(table: string): void {
    this.#notify('backup-failed', {
      meaning: 'a daily backup of the table, or its copy, was not made',
      what: `${EventField.detailType}: ${field('state')}`,
      pattern: {
        source: ['aws.backup'],
        detailType: ['Backup Job State Change', 'Copy Job State Change'],
        detail: { resourceArn: [table], state: ['FAILED', 'ABORTED', 'EXPIRED'] },
      },
    });
  }

  #notify(
    name: string,
    { meaning, what, pattern }: Pick<AlarmRow, 'meaning'> & { readonly what: string; readonly pattern: EventPattern },
  ): void {
    const ruleName = `${prefixOf(this)}-${name}`;
    const description = descriptionOf({ name, meaning });
    const input = RuleTargetInput.fromText(`${ruleName}: ${description}\n${what}`);
    const rule = new Rule(this, name, {
      ruleName,
      description,
      eventPattern: pattern,
      targets: this.#topics.map((topic) => to(topic, input)),
    });
    Validations.of(rule).acknowledge({
      id: 'Serverless-EventBusDLQ',
      reason: 'EventBridge tries for a day to reach a topic; nobody would read a queue of what it then gave up.',
    });
  }
}

/** No free text: EventBridge inserts values into the message unescaped. */
const field = (path: string): string => EventField.fromPath(`$.detail.${path}`);

/** The CDK's own target would add to the topic's policy, which `topics.ts` sets for topics of ours. */
const to = ({ topicArn: arn }: ITopic, input: RuleTargetInput): IRuleTarget => ({ bind: () => ({ arn, input }) });
