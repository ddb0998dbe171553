import type { BenchList } from './lists.ts';
import { type Cost, type Meter, median } from './meter.ts';
import { PAGE_SIZE, type PageRead, type Way } from './ways.ts';

export interface Reading {
  readonly list: string;
  readonly way: string;
  readonly page: number;
  readonly cost: Cost;
}

const TIMES = 15;
/** A reading is repeated for at most this long, in milliseconds. */
const LONGEST = 1_000;

/** Pages of a list that are worth a look: the first, three on the way, the last. */
export const pagesOf = (list: BenchList): number[] => {
  const last = Math.ceil(list.length / PAGE_SIZE);
  return [...new Set([1, 100, 1_000, 4_000, last].filter((page) => page <= last))].toSorted((a, b) => a - b);
};

/** Reads the pages of a list in every way, and checks that all ways agree. */
export async function readAll(list: BenchList, ways: readonly Way[], meter: Meter): Promise<Reading[]> {
  const readings: Reading[] = [];
  await warmUp(list, ways);
  for (const page of pagesOf(list)) {
    let expected: PageRead | undefined;
    for (const way of ways) {
      const { result, cost } = await repeat(() => way.read(list, page), meter);
      expected ??= result;
      check(list, way, page, result, expected);
      readings.push({ list: list.name, way: way.name, page, cost });
    }
  }
  return readings;
}

/** So that page 1 does not pay for being the first. */
async function warmUp(list: BenchList, ways: readonly Way[]): Promise<void> {
  for (let time = 0; time < TIMES; time++) await ways[0]?.read(list, 1);
}

async function repeat(read: () => Promise<PageRead>, meter: Meter) {
  const start = performance.now();
  let { result, cost } = await meter.measure(read);
  const times: number[] = [];
  // The first was the warm-up, unless there is no time for another.
  while (times.length < TIMES && performance.now() - start < LONGEST) {
    ({ result, cost } = await meter.measure(read));
    times.push(cost.milliseconds);
  }
  return { result, cost: times.length === 0 ? cost : { ...cost, milliseconds: median(times) } };
}

function check(list: BenchList, way: Way, page: number, read: PageRead, expected: PageRead): void {
  const size = Math.min(PAGE_SIZE, list.length - (page - 1) * PAGE_SIZE);
  const isRight =
    read.ids.length === size &&
    read.ids.every((id, index) => id === expected.ids[index]) &&
    (!way.total || read.total === list.length);
  if (!isRight) {
    const got = `${read.ids.length} records, total ${read.total}`;
    throw new Error(`${way.name} gives a wrong page ${page} of the list "${list.name}": ${got}`);
  }
}
