import type { FunctionHandler } from '../../../local/gateway/options.ts';
import { ExecutionEnvironment, type FunctionConfiguration } from './runtime/execution-environment.ts';
import type { FunctionErrorBody, Outcome } from './runtime/runtime-api.ts';

/**
 * A function, run as Lambda runs it: by a runtime in a process of its own, which sees the function's variables and no other. There is one
 * execution environment at a time, and invocations wait for it, where Lambda would start another one.
 */
export class LambdaFunction {
  /** Every execution environment that was started, in order. */
  readonly environments: ExecutionEnvironment[] = [];
  /** All that its processes wrote. */
  log = '';
  readonly configuration: FunctionConfiguration;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(configuration: FunctionConfiguration) {
    this.configuration = configuration;
  }

  /**
   * @param timeoutMs in place of the function's own
   * @param deadlineMs what the function is told of it
   */
  invoke(event: unknown, timeoutMs = this.configuration.timeoutMs, deadlineMs = timeoutMs): Promise<Outcome> {
    const outcome = this.#turn.then(async () => (await this.#environment()).invoke(event, timeoutMs, deadlineMs));
    this.#turn = outcome.catch(() => undefined);
    return outcome;
  }

  /** For the gateway, which tells a refusal of the authorizer from other errors by the message. */
  readonly handler: FunctionHandler = async (event: unknown) => {
    const outcome = await this.invoke(event);
    if ('error' in outcome) throw new FunctionError(outcome.error);
    return JSON.parse(outcome.payload);
  };

  async stop(): Promise<void> {
    await Promise.all(this.environments.map((each) => each.end()));
  }

  async #environment(): Promise<ExecutionEnvironment> {
    const last = this.environments.at(-1);
    if (last !== undefined && !last.hasEnded) return last;
    const started = await ExecutionEnvironment.start(this.configuration, (text) => {
      this.log += text;
    });
    this.environments.push(started);
    return started;
  }
}

class FunctionError extends Error {
  constructor({ errorType, errorMessage, trace }: FunctionErrorBody) {
    super(errorMessage);
    this.name = errorType;
    if (trace !== undefined) this.stack = trace.join('\n');
  }
}
