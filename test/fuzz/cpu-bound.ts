/**
 * What a request may cost, so that no text, however it is made, keeps the service busy: in times of what simple requests cost in the same
 * run. API and fuzz run are one process; DynamoDB is another and does not count.
 */

/** A request may cost so many times what its bytes and a simple request cost. Work that grows with the square costs hundreds. */
const TIMES = 10;
/** What a request may read beside what it carries is not seen from here: allowed for as so many bytes sent. */
const READ = 1_000_000;
const TRIES = 4;

/** CPU time of this process while something is done, in milliseconds. */
export async function cpuDuring(task: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await task();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The least of several tries: what else the process does meanwhile only ever adds. */
async function leastCpu(task: () => Promise<unknown>, tries: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < tries; turn++) least = Math.min(least, await cpuDuring(task));
  return least;
}

export class CpuBound {
  /** The cost of a simple request, in milliseconds. */
  readonly #floor: number;
  readonly #perByte: number;

  private constructor(floor: number, perByte: number) {
    this.#floor = floor;
    this.#perByte = perByte;
  }

  /** @param large a request that carries `bytes` and is refused for something simple */
  static async measured(
    small: () => Promise<unknown>,
    large: () => Promise<unknown>,
    bytes: number,
  ): Promise<CpuBound> {
    return new CpuBound(await leastCpu(small, TRIES), (await leastCpu(large, TRIES)) / bytes);
  }

  /** What a request that carries so many bytes, there and back, may cost, in milliseconds. */
  allowed(bytes: number): number {
    return TIMES * (this.#floor + (bytes + READ) * this.#perByte);
  }

  /** What a task costs, if that is more than a request of so many bytes may, whenever it is tried. */
  async excess(bytes: number, task: () => Promise<unknown>): Promise<string | undefined> {
    const allowed = this.allowed(bytes);
    for (let turn = 0, least = Number.POSITIVE_INFINITY; ; turn++) {
      least = Math.min(least, await cpuDuring(task));
      if (least <= allowed) return undefined;
      if (turn === TRIES - 1) return `took ${Math.round(least)} ms of CPU time, and may take ${Math.round(allowed)}`;
    }
  }
}
