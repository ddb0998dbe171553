/** Work, in CPU time: it is the same on a machine that is busy with other things, where the time on the wall is not. */

/** CPU time that this process spends on something synchronous, in milliseconds. */
export function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The least of several tries: what else the process does meanwhile (collecting garbage, compiling) only ever adds. */
export const leastCpuOf = (work: () => unknown, tries: number): number =>
  Math.min(...Array.from({ length: tries }, () => cpuOf(work)));
