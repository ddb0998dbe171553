import { setTimeout as wait } from 'node:timers/promises';
import type { SQSBatchResponse } from 'aws-lambda';
import { openStream, type StreamRecord } from '#local-dynamodb';
import { RequestSession, StaleRead, Tenant } from '#table';
import { type Message, useQueue } from '../../functions/events/deliveries/queue.ts';
import { allRegistered } from '../../functions/events/state/register.ts';
import { stageFreshStart } from '../../functions/events/state/state.ts';
import { loadFromSource } from '../functions.ts';
import { invoker } from '../gateway/invoke.ts';
import { type Log, readableStack } from '../terminal/log.ts';
import { LocalQueue } from './queue.ts';

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
/** The stack's schedules: one finds what no message is about any more, the other alerts whose maintenance is over. */
const SCHEDULE_MS = 5 * 60_000;
/** Longest time for a delivery under way at the end, in milliseconds. It is made again after the next start. */
const GRACE_MS = 500;

/**
 * Delivers events to endpoints for webhooks, as the stack does: the table's stream invokes `delivery-wake-up`, which
 * sends messages to a queue, for each of which the worker is invoked. The functions are the stack's; stream, queue and
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
    wake: (records) => invoke('delivery-wake-up', { Records: records }),
    wakeAll,
    onError: report,
  });
  const scheduled = (): Promise<unknown> => Promise.all([wakeAll(), invoke('held-alerts', {})]);
  const schedule = setInterval(() => void scheduled().catch(report), SCHEDULE_MS).unref();
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

interface Following {
  /** The address of the DynamoDB; another one after it was restarted. */
  readonly address: () => string;
  readonly tableName: string;
  readonly signal: AbortSignal;
  /** Wakes the tenants whose journals these records are in. */
  readonly wake: (records: readonly StreamRecord[]) => Promise<unknown>;
  /** Wakes all endpoints with a backlog. */
  readonly wakeAll: () => Promise<unknown>;
  /** Called with an error after which it goes on. */
  readonly onError: (error: unknown) => void;
  /**
   * Between two reads that find nothing, in milliseconds. Default: half a second, because each costs an idle machine
   * some time.
   */
  readonly pauseMs?: number;
  /** Without a stream, and after an error, in milliseconds. Default: a second. */
  readonly longerPauseMs?: number;
}

/**
 * Follows the stream of the table until the signal is aborted; where the engine has none, it looks at the journals of
 * registered endpoints each second. Whenever it begins anew, it wakes all endpoints with a backlog, because it has
 * missed what came before.
 */
export async function followTable({ pauseMs = 500, longerPauseMs = 1_000, ...following }: Following): Promise<void> {
  const { signal, onError } = following;
  while (!signal.aborted) {
    try {
      await followFromEnd({ ...following, pauseMs, longerPauseMs });
    } catch (error) {
      if (signal.aborted) return;
      onError(error);
      await pause(longerPauseMs, signal);
    }
  }
}

async function followFromEnd(following: Required<Following>): Promise<void> {
  const { address, tableName, signal, wake, wakeAll, pauseMs, longerPauseMs } = following;
  const stream = await openStream(address(), tableName, signal);
  await wakeAll();
  while (!signal.aborted) {
    if (stream === undefined) {
      await pause(longerPauseMs, signal);
      await wakeAll();
      continue;
    }
    const records = await stream.read();
    if (records.length > 0) await wake(records);
    else await pause(pauseMs, signal);
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  wait(ms, undefined, { signal, ref: false }).catch(() => undefined);

/**
 * Ends what an earlier process has left: the leases of its workers, and what they wait for after failures. So a start
 * delivers at once. If another process delivers from the same table, its next event comes twice.
 */
export async function resumeDeliveries(): Promise<void> {
  const registered = await allRegistered(RequestSession.ofEnvironment(Number.POSITIVE_INFINITY));
  for (const { tenant, endpointId } of registered) {
    const session = RequestSession.ofEnvironment(Number.POSITIVE_INFINITY);
    stageFreshStart(Tenant.ofOperator(tenant, session), endpointId);
    await session.commit().catch((error: unknown) => {
      // The endpoint was deleted, and the register has it still.
      if (!(error instanceof StaleRead)) throw error;
    });
  }
}
