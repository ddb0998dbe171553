import { execFile } from 'node:child_process';
import { join } from 'node:path';

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
