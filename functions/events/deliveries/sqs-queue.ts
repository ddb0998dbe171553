import { leanDocumentClient, sqsOf } from '#aws';
import { lazily } from '../../../shared/memory.ts';
import type { Queue } from './ports.ts';

/** Most messages of a call. */
const A_CALL = 10;

let given: Queue | undefined;

/** Takes this queue in place of the environment's, for a machine without SQS; undefined: the environment's again. */
export function useQueue(queue: Queue | undefined): void {
  given = queue;
}

/** The queue at `DELIVERY_QUEUE_URL`, with the function's own rights. @throws Error where that is not set */
export const environmentQueue = (): Queue => given ?? sqsQueue();

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
      for (let start = 0; start < entries.length; start += A_CALL)
        await sendMessages(entries.slice(start, start + A_CALL));
    },
  };
});
