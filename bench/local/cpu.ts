import { readFileSync } from 'node:fs';
import { canListProcesses, descendants } from '../../test/support/processes.ts';

/** CPU time of other processes, known only on Linux (`proc(5)`). */

const TICK_MS = 10;

/** The processes that this one has started so far. */
export const children = (): number[] => (canListProcesses ? descendants(process.pid) : []);

/** CPU time of these processes and all that they have started, in milliseconds; undefined where it is not known. */
export function cpuOfProcesses(pids: readonly number[]): number | undefined {
  if (!canListProcesses) return undefined;
  const all = new Set([...pids, ...pids.flatMap(descendants)]);
  return [...all].reduce((sum, pid) => sum + ticksOf(pid), 0) * TICK_MS;
}

function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
