import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import * as z from 'zod';
import { HEARTBEAT } from '../../../infra/heartbeat.ts';
import type { FunctionHandler } from '../../../local/gateway/options.ts';
import { STACKS } from '../synthesize.ts';
import type { Deployed } from './template.ts';

/** A deployed function, for code that runs it outside of AWS. */
export interface DeployedFunction {
  /** Name of its folder: `clients`. */
  readonly name: string;
  /** Directory of the bundle. */
  readonly assetPath: string;
  /** The module that the handler is exported from. */
  readonly module: string;
  /** Name of the export. */
  readonly export: string;
  readonly timeoutMs: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Arn of its role. */
  readonly role: string;
}

const schema = z.object({
  FunctionName: z.string(),
  Handler: z.string(),
  Code: z.object({ S3Key: z.string() }),
  Timeout: z.number(),
  Role: z.string(),
  Environment: z.object({ Variables: z.record(z.string(), z.string()) }),
});

/** The functions of the application, by their names. The heartbeat is none: it calls the API, from outside. */
export function functionsOf({ resources }: Deployed, assembly: string): ReadonlyMap<string, DeployedFunction> {
  const all = [...resources.values()].filter(({ Type }) => Type === 'AWS::Lambda::Function').map(read);
  return new Map(all.filter(({ name }) => !name.endsWith(HEARTBEAT)).map((each) => [each.name, each]));

  function read({ Properties }: { readonly Properties: unknown }): DeployedFunction {
    const { FunctionName, Handler, Code, Timeout, Role, Environment } = schema.parse(Properties);
    const assetPath = join(assembly, `asset.${Code.S3Key.replace(/\.zip$/, '')}`);
    const [file = '', exported = ''] = Handler.split('.');
    return {
      name: FunctionName.replace(`${STACKS[1]}-`, ''),
      assetPath,
      module: join(assetPath, `${file}.mjs`),
      export: exported,
      timeoutMs: Timeout * 1000,
      environment: Environment.Variables,
      role: Role,
    };
  }
}

/** The outcome of an invocation. */
export type Outcome =
  | { readonly payload: string }
  | { readonly error: { readonly errorType: string; readonly errorMessage: string } };

/**
 * A function, run in a process of its own that sees the function's variables and no other. There is one at a time, and
 * invocations wait for it, where Lambda would start another one.
 */
export class LambdaFunction {
  /** All that its processes wrote. */
  log = '';
  readonly configuration: DeployedFunction;
  #process: ChildProcess | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(configuration: DeployedFunction) {
    this.configuration = configuration;
  }

  /** @param timeLeft what the function is told of it, in milliseconds */
  invoke(event: unknown, timeLeft = this.configuration.timeoutMs): Promise<Outcome> {
    const outcome = this.#turn.then(() => this.#invoke(event, timeLeft));
    this.#turn = outcome.catch(() => undefined);
    return outcome;
  }

  /** For the gateway, which tells a refusal of the authorizer from other errors by the message. */
  readonly handler: FunctionHandler = async (event: unknown) => {
    const outcome = await this.invoke(event);
    if ('error' in outcome) throw new Error(outcome.error.errorMessage);
    return JSON.parse(outcome.payload);
  };

  async stop(): Promise<void> {
    const running = this.#process;
    if (running === undefined || running.exitCode !== null || !running.kill('SIGKILL')) return;
    await once(running, 'exit');
  }

  async #invoke(event: unknown, timeLeft: number): Promise<Outcome> {
    this.#process ??= await this.#start();
    const running = this.#process;
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const onExit = (code: number | null): void => {
      this.#process = undefined;
      reject(new Error(`${this.configuration.name} ended with ${code}: ${this.log.slice(-1_000)}`));
    };
    running.once('message', resolve).once('exit', onExit);
    running.send({ requestId: randomUUID(), event, deadline: Date.now() + timeLeft });
    try {
      return await promise;
    } finally {
      running.off('message', resolve).off('exit', onExit);
    }
  }

  async #start(): Promise<ChildProcess> {
    const { name, assetPath, export: exported, environment } = this.configuration;
    const started = fork(join(import.meta.dirname, 'bootstrap.ts'), {
      cwd: assetPath,
      execArgv: [],
      env: {
        ...environment,
        _HANDLER: `index.${exported}`,
        LAMBDA_TASK_ROOT: assetPath,
        AWS_LAMBDA_FUNCTION_NAME: `${STACKS[1]}-${name}`,
        AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [started.stdout, started.stderr])
      stream?.setEncoding('utf8').on('data', (text) => {
        this.log += text;
      });
    const ended = once(started, 'exit').then(() => Promise.reject(new Error(`${name} does not start: ${this.log}`)));
    await Promise.race([once(started, 'message'), ended]);
    ended.catch(() => undefined);
    return started;
  }
}
