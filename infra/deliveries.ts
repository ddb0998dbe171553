import { schema } from '@custodia/counted-lists';
import { Duration, Validations } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { journalEntity } from '#table';
import type { Functions } from './functions.ts';
import { DELIVERIES, DELIVERY_SCHEDULE, DELIVERY_WAKE_UP } from './rights.ts';
import { callOnSchedule } from './schedule.ts';
import { functionNameOf } from './service-function.ts';
import type { Settings } from './settings.ts';
import type { TableReference } from './table.ts';

interface DeliveriesProps {
  readonly functions: Functions;
  readonly table: TableReference;
  readonly settings: Settings;
}

/** The queues' names, fixed so that the operations stack can name them without a reference. */
export const queueName = (scope: Construct): string => functionNameOf(scope, 'deliveries');
export const deadLettersName = (scope: Construct): string => functionNameOf(scope, 'deliveries-dead-letters');

/**
 * What wakes deliveries (`docs/decisions/0201-events.md`): the table's stream and the schedule put wake-ups into a
 * queue, and the queue calls the worker. A wake-up says which tenant, and nothing else: a lost one delays a delivery
 * until the schedule, a repeated one does nothing. So a queue needs no order and holds no data.
 */
export class Deliveries extends Construct {
  readonly #deadLetters: Queue;
  readonly #queue: Queue;

  constructor(scope: Construct, id: string, { functions, table, settings }: DeliveriesProps) {
    super(scope, id);
    this.#deadLetters = new Queue(this, 'DeadLetters', {
      ...ENCRYPTED,
      queueName: deadLettersName(this),
      retentionPeriod: Duration.days(14),
    });
    Validations.of(this.#deadLetters).acknowledge({
      id: 'Serverless-SQSRedrivePolicy',
      reason: 'It is itself where failed wake-ups go, and an alarm says that there are some.',
    });
    this.#queue = this.#makeQueue(functions);
    for (const { rights, lambda, role } of functions.byName.values()) {
      if (!rights.wakes) continue;
      lambda.addEnvironment('DELIVERY_QUEUE_URL', this.#queue.queueUrl);
      role.addToPolicy(maySend(this.#queue));
    }
    this.#callWorker(functions, settings);
    // Without a stream the schedule alone wakes.
    if (table.tableStreamArn !== undefined) this.#callOnInsertions(functions, table.tableStreamArn);
    callOnSchedule(this, functions.named(DELIVERY_SCHEDULE), 'Wakes deliveries that nobody else woke');
  }

  /**
   * A standard queue. Its messages name their tenant as `MessageGroupId`, which makes it fair: while one tenant has
   * many messages under way, those of others are received first.
   * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
   */
  #makeQueue(functions: Functions): Queue {
    const { timeout } = functions.named(DELIVERIES).lambda;
    if (timeout === undefined) throw new TypeError('the worker has no timeout');
    return new Queue(this, 'Queue', {
      ...ENCRYPTED,
      queueName: queueName(this),
      // Both as https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html recommends.
      visibilityTimeout: Duration.seconds(6 * timeout.toSeconds()),
      deadLetterQueue: { queue: this.#deadLetters, maxReceiveCount: 5 },
      // Longer than a wake-up is delayed and tried again. The schedule has replaced older ones many times.
      retentionPeriod: Duration.hours(4),
    });
  }

  /**
   * Each call has one wake-up. A tenant holds half of the calls at most (`functions/events/deliveries/work.ts`), so
   * that its slow receivers delay no other.
   */
  #callWorker(functions: Functions, { deliveryConcurrency }: Settings): void {
    const { alias, lambda, role } = functions.named(DELIVERIES);
    lambda.addEnvironment('DELIVERY_CONCURRENCY', String(deliveryConcurrency));
    role.addToPolicy(
      new PolicyStatement({
        actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
        resources: [this.#queue.queueArn],
      }),
    );
    const mapping = new EventSourceMapping(this, 'Worker', {
      target: alias,
      eventSourceArn: this.#queue.queueArn,
      batchSize: 1,
      reportBatchItemFailures: true,
      // https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
      maxConcurrency: deliveryConcurrency,
    });
    Validations.of(mapping).acknowledge({
      id: 'Serverless-LambdaEventSourceMappingDestination',
      reason:
        'Mappings of queues take no destination: the queue itself gives failed messages to its dead letter queue.',
    });
  }

  /**
   * Only insertions into journals call the function. Their partition keys end with the name of the list; those of no
   * other list do. Filters may be of the metadata and the keys of a record, and may compare the end of a text:
   * https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html. What it fails for ten minutes is given
   * up: the schedule has woken its tenants twice.
   */
  #callOnInsertions(functions: Functions, stream: string): void {
    const { alias, role } = functions.named(DELIVERY_WAKE_UP);
    // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/iam-policy-example-lamda-process-dynamodb-streams.html
    role.addToPolicy(
      new PolicyStatement({
        actions: ['GetRecords', 'GetShardIterator', 'DescribeStream', 'ListStreams'].map((each) => `dynamodb:${each}`),
        resources: [stream],
      }),
    );
    role.addToPolicy(maySend(this.#deadLetters));
    const ofJournals = [{ suffix: `#${journalEntity.name}` }];
    new EventSourceMapping(this, 'WakeUp', {
      target: alias,
      eventSourceArn: stream,
      startingPosition: StartingPosition.LATEST,
      filters: [
        FilterCriteria.filter({
          eventName: FilterRule.isEqual('INSERT'),
          dynamodb: { Keys: { [schema.KEYS.partition]: { S: ofJournals } } },
        }),
      ],
      batchSize: 1_000,
      // The changes of a second are one call, and one message for each tenant.
      maxBatchingWindow: Duration.seconds(1),
      bisectBatchOnError: true,
      maxRecordAge: Duration.minutes(10),
      onFailure: { bind: () => ({ destination: this.#deadLetters.queueArn }) },
    });
  }
}

/** With keys of SQS, which cost nothing, and over TLS alone. */
const ENCRYPTED = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true } as const;

const maySend = ({ queueArn }: Queue): PolicyStatement =>
  new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queueArn] });
