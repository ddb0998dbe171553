import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import type { Command } from './engine.ts';

const KEPT_OUTPUT = 16_384;
const STOP_DEADLINE_MS = 5_000;

export interface RunningChild {
  readonly port: number;
  /** The last 16 KB that it printed. */
  output(): string;
  /**
   * Resolves with the reason when the engine ends by itself: `SIGKILL`, `status 1`. None of its processes is left then.
   * Never resolves after `stop`.
   */
  readonly died: Promise<string>;
  /** Resolves when no process of it is left. */
  stop(): Promise<void>;
}

/** The engine ended or timed out before it listened. */
export class ChildFailed extends Error {
  readonly output: string;
  constructor(reason: string, output: string) {
    super(reason);
    this.output = output;
  }
}

/**
 * Starts an engine that ends when its standard input does, and waits until it announces its port.
 * The pipe closes with this process, however that ends, so the engine never outlives it. The engine does not keep this
 * process alive.
 * @throws ChildFailed
 */
export const startChild = async (command: Command, announcement: RegExp, deadlineMs: number): Promise<RunningChild> => {
  // A separate process group: a terminal's Ctrl-C reaches only this process, so that requests in flight can complete.
  const child = spawn(command.file, command.args, {
    detached: true,
    stdio: 'pipe',
    env: { ...process.env, ...command.env },
  });
  child.stdin.on('error', () => undefined);
  let printed = '';
  const keep = (chunk: string): void => {
    printed = (printed + chunk).slice(-KEPT_OUTPUT);
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  const output = (): string => printed;
  let isStopping = false;
  const died = new Promise<string>((resolve) => {
    // 'close' and not 'exit': its pipe is closed, so the processes that it started have also ended.
    child.once('close', (code, signal) => isStopping || resolve(signal ?? `status ${code}`));
  });
  const stop = (): Promise<void> => {
    isStopping = true;
    return stopChild(child);
  };
  try {
    const port = await announcedPort(child, announcement, output, deadlineMs);
    setReferenced(child, false);
    return { port, output, died, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const announcedPort = (
  child: ChildProcessWithoutNullStreams,
  announcement: RegExp,
  output: () => string,
  deadlineMs: number,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const settle = (): void => {
      clearTimeout(timer);
      child.stdout.off('data', look);
      child.stderr.off('data', look);
    };
    const fail = (reason: string): void => {
      settle();
      reject(new ChildFailed(reason, output()));
    };
    const look = (): void => {
      const port = announcement.exec(output())?.[1];
      if (port === undefined) return;
      settle();
      resolve(Number(port));
    };
    const timer = setTimeout(() => fail(`it was not ready in ${deadlineMs / 1000} s`), deadlineMs);
    child.stdout.on('data', look);
    child.stderr.on('data', look);
    child.once('error', (error) => fail(error.message));
    // 'close' and not 'exit': all of its output has been read.
    child.once('close', (code, signal) => fail(`it ended early (${signal ?? `status ${code}`})`));
  });

const stopChild = async (child: ChildProcessWithoutNullStreams): Promise<void> => {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  setReferenced(child, true);
  const closed = once(child, 'close');
  child.stdin.end();
  const group = child.pid;
  const timer = setTimeout(() => killGroup(group), STOP_DEADLINE_MS);
  await closed;
  clearTimeout(timer);
};

const killGroup = (group: number): void => {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // It has just ended by itself.
  }
};

const setReferenced = (child: ChildProcessWithoutNullStreams, referenced: boolean): void => {
  const method = referenced ? 'ref' : 'unref';
  child[method]();
  for (const stream of [child.stdin, child.stdout, child.stderr]) if (stream instanceof Socket) stream[method]();
};
