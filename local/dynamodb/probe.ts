import { setTimeout as wait } from 'node:timers/promises';
import { callEngine } from './call.ts';

/** Longest time for one call, and for all calls together, in milliseconds. */
const CALL_MS = 10_000;
const DEADLINE_MS = 30_000;
const PAUSE_MS = 100;

/**
 * Lists the tables, which makes the engine open its database. Retries where the connection is dropped: the engine may
 * be starting, or a proxy such as Docker's may be up before it.
 * @throws Error when it responds with an error, nothing listens there, or no call succeeds within thirty seconds
 */
export async function probe(address: string): Promise<void> {
  for (const end = performance.now() + DEADLINE_MS; ; await wait(PAUSE_MS)) {
    try {
      await callEngine(address, 'DynamoDB_20120810.ListTables', {}, AbortSignal.timeout(CALL_MS));
      return;
    } catch (error) {
      if (!isDropped(error) || performance.now() > end) throw error;
    }
  }
}

/** How `fetch` fails where the other side closes or resets the connection. */
const DROPPED: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Whether the call was begun and got no response. */
function isDropped(error: unknown): boolean {
  const { name, cause } = error as { readonly name: string; readonly cause?: { readonly code?: unknown } };
  return name === 'TimeoutError' || DROPPED.has(cause?.code);
}
