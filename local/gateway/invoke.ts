import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import type { FunctionHandler, Limits } from './options.ts';

/** Invokes functions as Lambda does: JSON in, JSON out, a deadline and a payload limit. */

/** The event is larger than Lambda takes. */
export class EventTooLarge extends Error {
  override readonly name = 'EventTooLarge';
}

/** The function did not respond within its time. */
export class FunctionTimeout extends Error {
  override readonly name = 'FunctionTimeout';
}

export type Invoke = (functionName: string, event: object) => Promise<unknown>;

/**
 * Returns a function that invokes others by name. Its result has been through JSON, as Lambda's response has.
 * It throws EventTooLarge, FunctionTimeout, or the error of the function or of its loading.
 */
export function invoker(
  loadFunction: (name: string) => Promise<FunctionHandler>,
  limits: Pick<Limits, 'payloadBytes' | 'functionMs'>,
): Invoke {
  const loading = new Map<string, Promise<FunctionHandler>>();
  const load = (name: string): Promise<FunctionHandler> => {
    const handler = loading.get(name) ?? loadFunction(name);
    loading.set(name, handler);
    return handler;
  };
  return async (functionName, event) => {
    const payload = JSON.stringify(event);
    if (Buffer.byteLength(payload) > limits.payloadBytes) throw new EventTooLarge();
    const handler = await load(functionName);
    const context = lambdaContext(functionName, limits.functionMs);
    // Async, so that a handler that throws at once fails like one that rejects.
    const run = async (): Promise<unknown> => handler(JSON.parse(payload) as never, context);
    return resultOf(await within(run(), functionName, limits.functionMs), functionName, limits.payloadBytes);
  };
}

async function within(result: Promise<unknown>, functionName: string, milliseconds: number): Promise<unknown> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new FunctionTimeout(`${functionName} timed out after ${milliseconds / 1000} s`)),
    milliseconds,
  );
  try {
    return await Promise.race([result, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function resultOf(result: unknown, functionName: string, maxBytes: number): unknown {
  const text: string | undefined = JSON.stringify(result);
  if (text === undefined) return null;
  if (Buffer.byteLength(text) > maxBytes)
    throw new Error(`${functionName}: the response payload is over ${maxBytes} bytes`);
  return JSON.parse(text);
}

function lambdaContext(functionName: string, timeoutMs: number): Context {
  const deadline = Date.now() + timeoutMs;
  const context: Omit<Context, Callbacks> = {
    awsRequestId: randomUUID(),
    functionName,
    functionVersion: '$LATEST',
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    invokedFunctionArn: `arn:aws:lambda:eu-west-1:000000000000:function:${functionName}`,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    memoryLimitInMB: '1024',
  };
  return context as Context;
}

/** Node 24 functions respond by the promise they return, and have none of these. */
type Callbacks = 'callbackWaitsForEmptyEventLoop' | 'done' | 'fail' | 'succeed';
