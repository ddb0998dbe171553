import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type FunctionErrorBody, type Outcome, RuntimeApi } from './runtime-api.ts';

/** A function as it is deployed. */
export interface FunctionConfiguration {
  /** `custodia-dev-clients` */
  readonly name: string;
  /** Directory of its code. */
  readonly taskRoot: string;
  /** `index.handler` */
  readonly handler: string;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  /** Its own variables, and the credentials of its role. */
  readonly environment: Readonly<Record<string, string>>;
}

const BOOTSTRAP = fileURLToPath(new URL('./bootstrap.ts', import.meta.url));

/** A process that serves a function's invocations one after the other, until one of them ends it. */
export class ExecutionEnvironment {
  readonly #configuration: FunctionConfiguration;
  readonly #api: RuntimeApi;
  readonly #process: ChildProcess;
  readonly #exit: Promise<FunctionErrorBody>;
  #hasEnded = false;

  static async start(configuration: FunctionConfiguration, log: (line: string) => void): Promise<ExecutionEnvironment> {
    return new ExecutionEnvironment(configuration, await RuntimeApi.start(), log);
  }

  private constructor(configuration: FunctionConfiguration, api: RuntimeApi, log: (line: string) => void) {
    this.#configuration = configuration;
    this.#api = api;
    this.#process = spawn(process.execPath, [BOOTSTRAP], {
      cwd: configuration.taskRoot,
      env: variablesOf(configuration, api.address),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#process.stdout, this.#process.stderr]) stream?.setEncoding('utf8').on('data', log);
    this.#exit = once(this.#process, 'close').then(([code, signal]) => {
      this.#hasEnded = true;
      api.close();
      return { errorType: 'Runtime.ExitError', errorMessage: `Error: Runtime exited ${reasonOf(code, signal)}` };
    });
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** What the runtime has asked for and reported. */
  get calls(): readonly string[] {
    return this.#api.calls;
  }

  /**
   * @param timeoutMs as long as an invocation may take; one that takes longer ends the process
   * @param deadlineMs until when the function is told that it has time, from now: for Lambda the same
   */
  async invoke(event: unknown, timeoutMs: number, deadlineMs = timeoutMs): Promise<Outcome> {
    const requestId = randomUUID();
    const { promise: timeout, resolve } = Promise.withResolvers<Outcome>();
    const timer = setTimeout(() => {
      const errorMessage = `RequestId: ${requestId} Error: Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`;
      resolve({ error: { errorType: 'Sandbox.Timedout', errorMessage } });
    }, timeoutMs);
    const response = this.#api.invoke({
      requestId,
      payload: JSON.stringify(event),
      deadline: Date.now() + deadlineMs,
      functionArn: `arn:aws:lambda:eu-west-1:111122223333:function:${this.#configuration.name}`,
      traceId: `Root=1-${randomBytes(4).toString('hex')}-${randomBytes(12).toString('hex')};Sampled=0`,
    });
    const exit = this.#exit.then((error): Outcome => ({ error: this.#api.initError ?? error }));
    try {
      const outcome = await Promise.race([response, exit, timeout]);
      if ('error' in outcome && outcome.error.errorType === 'Sandbox.Timedout') await this.end();
      return outcome;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the process as Lambda does: it is not asked. */
  async end(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#exit;
  }
}

const reasonOf = (code: number | null, signal: string | null): string => {
  if (signal !== null) return `with error: signal: ${signal}`;
  return code === 0 ? 'without providing a reason' : `with error: exit status ${code}`;
};

/**
 * What Lambda adds to a function's own variables. Nothing of this machine's is left.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */
const variablesOf = (
  { name, taskRoot, handler, memoryMb, environment }: FunctionConfiguration,
  runtimeApi: string,
): Record<string, string> => ({
  ...environment,
  _HANDLER: handler,
  LAMBDA_TASK_ROOT: taskRoot,
  AWS_LAMBDA_RUNTIME_API: runtimeApi,
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_NAME: name,
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
  AWS_LAMBDA_LOG_STREAM_NAME: 'stream',
  AWS_LAMBDA_LOG_FORMAT: 'JSON',
  AWS_LAMBDA_LOG_LEVEL: 'INFO',
  LANG: 'en_US.UTF-8',
  TZ: ':UTC',
});
