import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

/**
 * The process of a function: it loads the handler and calls it with the events that its parent sends. An error that
 * nobody catches ends it, as it does Lambda's. As on Node.js 24 a handler returns a promise: one with a third parameter
 * expects a callback, and is refused.
 */

const { LAMBDA_TASK_ROOT: root = '', _HANDLER: name = '', AWS_LAMBDA_FUNCTION_NAME: functionName } = process.env;
const [file, exported = ''] = name.split('.');
const { [exported]: handler } = await import(join(root, `${file}.mjs`));
if (typeof handler !== 'function' || handler.length > 2) throw new TypeError(`${name} is no handler`);

interface Invocation {
  readonly requestId: string;
  readonly event: unknown;
  /** In milliseconds. */
  readonly deadline: number;
}

process.on('message', async ({ requestId, event, deadline }: Invocation) => {
  const context = { awsRequestId: requestId, functionName, getRemainingTimeInMillis: () => deadline - Date.now() };
  const send = (outcome: object): void => void process.send?.({ requestId, ...outcome });
  try {
    const result = await handler(event, context);
    await setImmediate();
    send({ payload: JSON.stringify(result ?? null) });
  } catch (thrown) {
    await setImmediate();
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    // As the JSON log format has it: with everything that can be enumerated of an error, whoever may read the log.
    const message = { errorType: error.name, errorMessage: error.message, stackTrace: error.stack, ...error };
    process.stdout.write(`${JSON.stringify({ level: 'ERROR', requestId, message })}\n`);
    send({ error: { errorType: error.name, errorMessage: error.message } });
  }
});
process.send?.('ready');
