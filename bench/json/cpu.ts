/** Measures work in CPU time, which does not depend on how busy the machine is. */

/** CPU time that this process spends on something synchronous, in milliseconds. */
export function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The least of several tries, because other work of the process (garbage collection, compilation) only adds time. */
export const leastCpuOf = (work: () => unknown, tries: number): number =>
  Math.min(...Array.from({ length: tries }, () => cpuOf(work)));
