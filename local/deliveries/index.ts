import { setTimeout as wait } from 'node:timers/promises';
import type { SQSBatchResponse } from 'aws-lambda';
import { invoker } from '#gateway';
import type { Message } from '../../functions/events/deliveries/queue.ts';
import { useQueue } from '../../functions/events/deliveries/queue.ts';
import { loadFromSource } from '../functions.ts';
import { type Log, readableStack } from '../terminal/log.ts';
import { followTable } from './follow.ts';
import { LocalQueue } from './queue.ts';
import { resumeDeliveries } from './resume.ts';

interface DeliveriesOptions {
  /** The address of the DynamoDB; another one after it was restarted. */
  readonly address: () => string;
  readonly tableName: string;
  readonly log: Pick<Log, 'debug' | 'error'>;
  /** As {@link followTable} has them. */
  readonly pauseMs?: number;
  readonly longerPauseMs?: number;
}

/** The time limit of the stack's functions, in milliseconds, and the largest event and result of any, in bytes. */
const LIMITS = { functionMs: 60_000, payloadBytes: 6_291_456 };
/** The stack's schedule: it finds what no message is about any more. */
const SCHEDULE_MS = 5 * 60_000;
/** Longest time for a delivery under way at the end, in milliseconds. It is made again after the next start. */
const GRACE_MS = 500;

/**
 * Delivers events to endpoints for webhooks, as the stack does: the table's stream invokes `delivery-bell`, which sends
 * messages to a queue, for each of which the worker is invoked. The functions are the stack's; stream, queue and
 * schedule are this machine's (`docs/decisions/0201-events.md`).
 */
export function startDeliveries({ log, ...table }: DeliveriesOptions): AsyncDisposable {
  const invoke = invoker(loadFromSource, LIMITS);
  const queue = new LocalQueue({
    work: async (message) => {
      const { batchItemFailures } = (await invoke('deliveries', received(message))) as SQSBatchResponse;
      if (batchItemFailures.length > 0) throw new Error('The worker has failed.');
    },
    onGivenUp: (error) =>
      log.error(`Deliveries of a tenant are put off until the next schedule.\n${readableStack(error)}`),
  });
  useQueue(queue);
  const end = new AbortController();
  let isResumed = false;
  const wakeAll = async (): Promise<void> => {
    if (!isResumed) await resumeDeliveries();
    isResumed = true;
    await invoke('delivery-schedule', {});
  };
  const report = (error: unknown): void =>
    log.debug(`Waking deliveries has failed, and is tried again.\n${readableStack(error)}`);
  const followed = followTable({
    ...table,
    signal: end.signal,
    wake: (records) => invoke('delivery-bell', { Records: records }),
    wakeAll,
    onError: report,
  });
  const schedule = setInterval(() => void wakeAll().catch(report), SCHEDULE_MS).unref();
  return {
    async [Symbol.asyncDispose]() {
      end.abort();
      clearInterval(schedule);
      await Promise.race([Promise.all([followed, queue.close()]), wait(GRACE_MS, undefined, { ref: false })]);
      useQueue(undefined);
    },
  };
}

/** The event by which SQS invokes the worker: one message each time. */
const received = (message: Message): object => ({
  Records: [{ messageId: crypto.randomUUID(), eventSource: 'aws:sqs', body: JSON.stringify(message) }],
});
