import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { findEngine } from '../../local/dynamodb/choose.ts';
import { freshDirectory } from '../support/directory.ts';
import { descendants } from '../support/processes.ts';

const ROOT = join(import.meta.dirname, '../..');
const ENTRY = join(ROOT, 'bin/local.ts');

export interface Started {
  readonly pid: number;
  /** All it has written to standard output and standard error so far. */
  readonly output: () => string;
  /** Its address when it has said so often (once by default) that it is ready; rejects when it ends before. */
  readonly ready: (times?: number) => Promise<string>;
  /** The exit code, null after a signal. */
  readonly exit: Promise<number | null>;
  /** Sends a signal to its whole group, as a terminal's Ctrl-C does; its exit code. */
  readonly signal: (signal: NodeJS.Signals) => Promise<number | null>;
}

type Variables = Readonly<Record<string, string>>;

/**
 * Hides Java where there is dynoxide, which takes a fifth of a second to start instead of three: for what is the same
 * with both.
 */
export const ON_DYNOXIDE: Variables =
  'missing' in (await findEngine('dynoxide')) ? {} : { PATH: dirname(process.execPath), JAVA_HOME: '' };

/** The same for npm, which is on the `PATH` with what it needs itself. */
export async function npmOnDynoxide(): Promise<Variables> {
  if (ON_DYNOXIDE.PATH === undefined) return {};
  const PATH = await freshDirectory();
  await symlink(process.execPath, join(PATH, 'node'));
  await promisify(execFile)('sh', ['-c', 'ln -s "$(command -v npm)" "$(command -v sh)" "$0"', PATH]);
  return { ...ON_DYNOXIDE, PATH };
}

/**
 * Runs `bin/local.ts` with these variables, on a free port and in memory unless they say otherwise. It ends with the
 * test.
 */
export const start = (variables: Variables = {}, nodeOptions: readonly string[] = []): Started =>
  run(process.execPath, [...nodeOptions, ENTRY], variables);

/** Runs npm in the same way: below it a shell, and below that the script. */
export const startWithNpm = (args: readonly string[], variables: Variables = {}): Started =>
  run('npm', args, variables);

function run(file: string, args: readonly string[], variables: Variables): Started {
  const { PATH = '', JAVA_HOME, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(file, args, {
    cwd: ROOT,
    detached: true,
    env: { PATH, JAVA_HOME, NODE_COMPILE_CACHE, PORT: '0', DATA_DIR: ':memory:', ...variables },
  });
  const pid = child.pid ?? Number.NaN;
  const exit = once(child, 'close').then(([code]) => code as number | null);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const signal = (name: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-pid, name);
    return exit;
  };
  // npm's children are in its process group, and may be left where a test fails.
  onTestFinished(async () => {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // Nobody is left.
    }
    await exit;
  });
  const ready = (times = 1): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const url = Array.from(output.matchAll(/is ready at (\S+).*?Ctrl-C/gs))[times - 1]?.[1];
        if (url !== undefined) resolve(url);
      };
      child.stdout.on('data', look);
      exit.then(() => reject(new Error(`it ended before it was ready:\n${output}`)));
      look();
    });
  return { pid, output: () => output, ready, exit, signal };
}

/** The processes that a started one has started itself. */
export const childrenOf = ({ pid }: Started): number[] => descendants(pid);

/** Runs lines in a shell that has these variables, too, as if they were pasted, and returns what they print. */
export const paste = async (
  lines: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<string> =>
  (await promisify(execFile)('sh', ['-c', lines.join('\n')], { env: { ...process.env, ...variables } })).stdout;

/** The lines that the start says to paste. */
export const linesToPaste = ({ output }: Started): string[] =>
  output()
    .split('\n')
    .filter((line) => /^(TOKEN=\$\(|curl )/.test(line));
