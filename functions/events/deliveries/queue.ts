import { leanDocumentClient, sqsOf } from '@custodia/lean-dynamodb';
import { lazily } from '../../../shared/memory.ts';

/**
 * A wake-up for the endpoints of a tenant: there may be something to deliver. It may be lost, doubled or wrong, because
 * journal and cursors decide.
 */
export interface Message {
  /** An organization's id, or `PLATFORM`. */
  readonly tenant: string;
  /** Only this endpoint. */
  readonly endpointId?: string;
}

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html */
export const LONGEST_DELAY = 900;
const MESSAGES_A_CALL = 10;

export interface Queue {
  /**
   * Sends messages, each to be received after so many seconds, {@link LONGEST_DELAY} at most.
   * @throws where one may be lost
   */
  send(messages: readonly (Message & { readonly delaySeconds?: number })[]): Promise<void>;
}

let localQueue: Queue | undefined;

/** Takes this queue in place of the environment's, for a machine without SQS; undefined: the environment's again. */
export function useQueue(queue: Queue | undefined): void {
  localQueue = queue;
}

/** The queue at `DELIVERY_QUEUE_URL`, with the function's own rights. @throws Error where that is not set */
export const environmentQueue = (): Queue => localQueue ?? sqsQueue();

const sqsQueue = lazily((): Queue => {
  const url = process.env.DELIVERY_QUEUE_URL;
  if (url === undefined || url === '') throw new Error('DELIVERY_QUEUE_URL is not set');
  const sendMessages = sqsOf(leanDocumentClient({}, Number), url);
  return {
    async send(messages) {
      const entries = messages.map(({ delaySeconds = 0, ...message }) => ({
        body: JSON.stringify(message),
        group: message.tenant,
        delaySeconds,
      }));
      for (let start = 0; start < entries.length; start += MESSAGES_A_CALL)
        await sendMessages(entries.slice(start, start + MESSAGES_A_CALL));
    },
  };
});
