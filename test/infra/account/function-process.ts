import { parentPort, workerData } from 'node:worker_threads';
import type { Context } from 'aws-lambda';

/** One function of the stack, alone in a worker: it sees the environment that it was started with and nobody else's. */

interface Call {
  readonly id: number;
  readonly event: unknown;
  readonly context: Omit<Context, 'getRemainingTimeInMillis' | 'done' | 'fail' | 'succeed'>;
  readonly deadline: number;
}

const { module, name } = workerData as { module: string; name: string };
const handler = (await import(module))[name] as (event: unknown, context: object) => Promise<unknown>;

parentPort?.on('message', async ({ id, event, context, deadline }: Call) => {
  const around = { ...context, getRemainingTimeInMillis: () => deadline - Date.now() };
  try {
    parentPort?.postMessage({ id, result: await handler(event, around) });
  } catch (error) {
    // The gateway knows a refusal by its message.
    parentPort?.postMessage({ id, error: (error as Error).message });
  }
});
