import { type AwsService, type CallerClient, serviceOf } from './service.ts';

/** Amazon Simple Queue Service: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/Welcome.html */
const SQS: AwsService = {
  name: 'sqs',
  contentType: 'application/x-amz-json-1.0',
  errorIn: (text) => {
    const { __type: type, message } = JSON.parse(text);
    return { name: type?.slice(type.lastIndexOf('#') + 1), message };
  },
};

/** A message for a standard queue. */
export interface SqsMessage {
  readonly body: string;
  /**
   * Whose it is: messages of one group do not keep those of others waiting.
   * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
   */
  readonly group: string;
  /** 0 to 900. */
  readonly delaySeconds: number;
}

/**
 * Sends up to ten messages. @throws ServiceException, an error of the connection, or Error where a message was refused
 */
export type SendMessages = (messages: readonly SqsMessage[]) => Promise<void>;

/**
 * The queue at this address, in the name of a client.
 * @example await sqsOf(client, url)([{ body: 'wake', group: tenant, delaySeconds: 0 }])
 */
export function sqsOf(client: CallerClient, queueUrl: string): SendMessages {
  const call = serviceOf(client, SQS);
  return async (messages) => {
    const Entries = messages.map(({ body, group, delaySeconds }, index) => ({
      Id: String(index),
      MessageBody: body,
      MessageGroupId: group,
      DelaySeconds: delaySeconds,
    }));
    const body = JSON.stringify({ QueueUrl: queueUrl, Entries });
    const { Failed: failed = [] } = JSON.parse(await call({ target: 'AmazonSQS.SendMessageBatch', body }));
    if (failed.length > 0) throw new Error(`the queue refused ${failed.length} of ${Entries.length} messages`);
  };
}
