import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Processes that the trial deployment starts. Each leads a group, so that it ends with what it has started itself. */

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Name of the file that gets what it prints. */
  readonly log: string;
}

const ROOT = join(import.meta.dirname, '../../..');
/** A command that takes longer hangs. In milliseconds. */
const LONGEST = 600_000;

export class Processes {
  readonly #logs: string;
  readonly #running = new Set<ChildProcess>();

  /** @param logs directory of files with what processes print */
  constructor(logs: string) {
    this.#logs = logs;
  }

  /** Runs a command to its end, or for ten minutes. */
  async run(command: string, args: readonly string[], options: RunOptions): Promise<Ran> {
    const child = await this.start(command, args, options);
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
      });
    }
    const timer = setTimeout(() => endGroup(child, 'SIGKILL'), LONGEST);
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    clearTimeout(timer);
    endGroup(child, 'SIGKILL');
    return { code, ...output };
  }

  async start(command: string, args: readonly string[], { environment, log }: RunOptions): Promise<ChildProcess> {
    await mkdir(this.#logs, { recursive: true });
    const file = createWriteStream(this.logOf(log), { flags: 'a' });
    const child = spawn(command, args, {
      cwd: ROOT,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    });
    for (const stream of [child.stdout, child.stderr]) stream?.pipe(file, { end: false });
    this.#running.add(child);
    child.once('error', (error) => file.write(`${error}\n`));
    child.once('close', () => {
      this.#running.delete(child);
      file.end();
    });
    return child;
  }

  logOf(name: string): string {
    return join(this.#logs, `${name}.log`);
  }

  /** Ends a process with its group. */
  async end(child: ChildProcess): Promise<void> {
    if (!this.#running.has(child)) return;
    const closed = new Promise((resolve) => child.once('close', resolve));
    endGroup(child, 'SIGTERM');
    const timer = setTimeout(() => endGroup(child, 'SIGKILL'), 10_000);
    await closed;
    clearTimeout(timer);
    endGroup(child, 'SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map((child) => this.end(child)));
  }
}

function endGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // All of it has ended.
  }
}
