import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { environmentTargets } from '#outbound';
import { RequestSession } from '#table';
import { annotate, logger, observe } from '#telemetry';
import { systemClock } from '../../shared/clock.ts';
import { environmentQueue, type Message } from '../events/deliveries/queue.ts';
import { sendWith } from '../events/deliveries/send.ts';
import { work } from '../events/deliveries/work.ts';

/** For a step of a turn, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * Delivers events to webhook endpoints: each message of the queue wakes those of a tenant.
 * @returns the messages that are to be received again
 * @throws Error where all are, as one by itself is: Lambda counts it, and alarms and canaries see it
 */
export async function handler({ Records: records }: SQSEvent): Promise<SQSBatchResponse> {
  const failures = (await Promise.all(records.map((record) => receive(record)))).flat();
  if (failures.length > 0 && failures.length === records.length) throw new Error('Deliveries have failed');
  return { batchItemFailures: failures };
}

async function receive({ messageId, body }: SQSRecord): Promise<SQSBatchResponse['batchItemFailures']> {
  const message = messageIn(body);
  if (message === undefined) return [];
  try {
    await observe({ domain: 'deliveries', clock: systemClock }, () => {
      annotate({ tenant: message.tenant });
      return work(message, {
        open: () => RequestSession.ofEnvironment(TIMEOUT_MS),
        clock: systemClock,
        queue: environmentQueue(),
        send: sendWith({ targets: environmentTargets() }),
        random: Math.random,
        slots: environmentSlots(),
      });
    });
    return [];
  } catch (error) {
    logger.error('a turn of deliveries has failed', { error: error as Error });
    return [{ itemIdentifier: messageId }];
  }
}

/** At most half of the workers that there may be, `DELIVERY_CONCURRENCY`. */
const environmentSlots = (): number => Math.max(1, Math.floor(Number(process.env.DELIVERY_CONCURRENCY ?? 2) / 2));

/** Undefined for an unknown message: it is dropped, because it would never become a known one. */
function messageIn(body: string): Message | undefined {
  try {
    const { tenant, endpointId } = JSON.parse(body);
    if (typeof tenant === 'string') return { tenant, ...(typeof endpointId === 'string' && { endpointId }) };
  } catch {
    // No JSON.
  }
  logger.warn('ignored an unknown message of the queue');
  return undefined;
}
