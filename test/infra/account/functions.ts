import { createInterface } from 'node:readline';
import { Worker } from 'node:worker_threads';
import type { Context } from 'aws-lambda';
import type { SynthesizedFunction } from '../../../infra/synthesized.ts';
import type { FunctionHandler } from '../../../local/gateway/options.ts';

const PROCESS = new URL('./function-process.ts', import.meta.url);

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** Starts a bundle with this environment and no other variable; it ends with this process, or when told to. Its log goes to `onLine`. */
export function startFunction(
  { module, export: name }: Pick<SynthesizedFunction, 'module' | 'export'>,
  environment: Readonly<Record<string, string>>,
  onLine: (line: string) => void,
): { readonly handler: FunctionHandler; readonly stop: () => Promise<void> } {
  const worker = new Worker(PROCESS, { env: { ...environment }, workerData: { module, name }, stdout: true });
  createInterface(worker.stdout).on('line', onLine);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  worker.on('message', ({ id, result, error }: Answer) => {
    const call = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) call?.resolve(result);
    else call?.reject(new Error(error));
  });
  worker.on('error', (error) => {
    for (const call of waiting.values()) call.reject(error);
  });
  let calls = 0;
  const handler: FunctionHandler = (event: unknown, context: Context) => {
    const { getRemainingTimeInMillis, done: _done, fail: _fail, succeed: _succeed, ...data } = context;
    const call = Promise.withResolvers<unknown>();
    const id = calls++;
    waiting.set(id, call);
    worker.postMessage({ id, event, context: data, deadline: Date.now() + getRemainingTimeInMillis() });
    return call.promise;
  };
  return { handler, stop: async () => void (await worker.terminate()) };
}
