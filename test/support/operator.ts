import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'vitest';

const ENTRY = join(import.meta.dirname, '../../bin/operator.ts');

export interface Ran {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs the operator's command line, with these variables in addition to those of this process, or instead of them.
 * `signal` ends it as Ctrl-C does.
 */
export const runOperator = (
  args: readonly string[],
  variables: Readonly<Record<string, string | undefined>> = {},
  { alone = false, signal }: { alone?: boolean; signal?: AbortSignal } = {},
): Promise<Ran> =>
  new Promise((resolve) => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const env = alone ? { PATH, NODE_COMPILE_CACHE, ...variables } : { ...process.env, ...variables };
    execFile(process.execPath, [ENTRY, ...args], { env, signal, killSignal: 'SIGINT' }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stdout, stderr });
    });
  });

/** What the process of {@link runOperatorAgain} is asked. */
export interface Asked {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * As {@link runOperator}, in a process that has run the commands before, one at a time. A start is most of what a command costs. That each command
 * works and ends as a process of its own is shown by the tests of the deployed stack.
 */
export function runOperatorAgain(args: readonly string[], variables: Asked['env'] = {}): Promise<Ran> {
  const ran = turn.then(async () => {
    const { testPath } = expect.getState();
    // It remembers what it has done, on which nothing of another test file may depend.
    if (keptFor !== testPath) {
      (await kept)?.child.disconnect();
      kept = undefined;
    }
    keptFor = testPath;
    kept ??= startKept();
    const { child, exited } = await kept;
    const message = once(child, 'message');
    child.send({ args, env: { ...process.env, ...variables } } satisfies Asked);
    const [said] = await Promise.race([message, exited]);
    return said as Ran;
  });
  turn = ran.catch(() => undefined);
  return ran;
}
let turn: Promise<unknown> = Promise.resolve();
let kept: ReturnType<typeof startKept> | undefined;
let keptFor: string | undefined;

/** It ends with this process, if not before. */
async function startKept(): Promise<{ child: ChildProcess; exited: Promise<never> }> {
  const child = fork(join(import.meta.dirname, 'operator-child.ts'), {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  child.unref();
  child.channel?.unref();
  const exited = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the operator ended with ${code}`)));
  exited.catch(() => undefined);
  await Promise.race([once(child, 'message'), exited]);
  return { child, exited };
}
