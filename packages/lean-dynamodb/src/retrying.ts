import { randomUUID } from 'node:crypto';
import { getRetryPlugin, INVOCATION_ID_HEADER, REQUEST_HEADER, StandardRetryStrategy } from '@smithy/core/retry';
import type { Context, Middleware, Next, Responded } from './middleware.ts';

/**
 * The SDK's retries for calls that nearly always succeed at once: its own step begins only where the first attempt has
 * failed, and counts that attempt (`docs/decisions/0122-lean-client.md`).
 */

/** The settings of a client that its retries need. */
export type RetryConfig = Omit<Parameters<typeof getRetryPlugin>[0], 'logger'>;

export function retrying(config: RetryConfig, context: Context): Middleware {
  const bySdk = sdkStep(config);
  let first: FirstAttempt | undefined;
  return (next) => async (call) => {
    first ??= await firstAttempt(config);
    const { strategy, token, header } = first;
    // Any other strategy may want to wait before a first attempt.
    if (strategy === undefined) return bySdk(next, context)(call);
    const { headers } = call.request;
    const id = randomUUID();
    headers[INVOCATION_ID_HEADER] = id;
    headers[REQUEST_HEADER] = header;
    let responded: Responded;
    try {
      responded = await next(call);
    } catch (error) {
      return bySdk(failed(error, id, next), context)(call);
    }
    strategy.recordSuccess(token);
    Object.assign((responded.output as { $metadata: object }).$metadata, { attempts: 1, totalRetryDelay: 0 });
    return responded;
  };
}

/** The attempts of a call whose first one has failed. */
function failed(error: unknown, invocationId: string, next: Next): Next {
  let isFirst = true;
  return async (call) => {
    call.request.headers[INVOCATION_ID_HEADER] = invocationId;
    if (!isFirst) return next(call);
    isFirst = false;
    throw error;
  };
}

interface FirstAttempt {
  readonly strategy: StandardRetryStrategy | undefined;
  readonly token: Parameters<StandardRetryStrategy['recordSuccess']>[0];
  readonly header: string;
}

async function firstAttempt(config: RetryConfig): Promise<FirstAttempt> {
  const [strategy, maxAttempts] = await Promise.all([config.retryStrategy(), config.maxAttempts()]);
  const standard = strategy instanceof StandardRetryStrategy ? strategy : undefined;
  const token = await (standard ?? new StandardRetryStrategy(maxAttempts)).acquireInitialRetryToken('');
  return { strategy: standard, token, header: `attempt=1; max=${maxAttempts}` };
}

type Step = (next: Next, context: Context) => Next;

/** The SDK's own step, which it gives only to a stack of middlewares. */
function sdkStep(config: RetryConfig): Step {
  let step: Step | undefined;
  const collector = { add: (added: never) => (step = added) };
  getRetryPlugin(config as never).applyToStack(collector as never);
  if (step === undefined) throw new Error('the SDK has no step for retries');
  return step;
}
