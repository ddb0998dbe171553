import { readdirSync, readFileSync } from 'node:fs';

/** Whether this machine shows its processes under `/proc`, as Linux does. */
export const canListProcesses = process.platform === 'linux';

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** `Z`: it has ended, and nobody has reaped it. `T`: it is stopped. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
  readonly state: string | undefined;
}

/** The living processes that `root` started, and those that they started. */
export const descendants = (root: number): number[] => {
  const all = livingProcesses();
  const below = (parent: number): number[] =>
    all.filter((entry) => entry.parent === parent).flatMap(({ pid }) => [pid, ...below(pid)]);
  return below(root);
};

/** A zombie counts as ended: in a container nobody may reap it. */
export const isRunning = (pid: number): boolean => livingProcesses().some((entry) => entry.pid === pid);

/** A process of several threads goes on for a moment after `SIGSTOP`, until the first of them takes the signal. */
export const isStopped = (pid: number): boolean =>
  livingProcesses().some((entry) => entry.pid === pid && entry.state === 'T');

const livingProcesses = (): ProcessEntry[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readEntry)
    .filter(({ state }) => state !== 'Z');

const readEntry = (pid: string): ProcessEntry[] => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [{ pid: Number(pid), parent: Number(parent), state }];
  } catch {
    return [];
  }
};
