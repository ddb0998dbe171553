import { setTimeout as wait } from 'node:timers/promises';
import { openStream, type StreamRecord } from '#local-dynamodb';

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
