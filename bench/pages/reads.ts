import { median } from '../statistics.ts';
import type { BenchList } from './lists.ts';
import type { Meter, WorkCost } from './meter.ts';
import { COMPARED_PAGE_SIZE, type PageRead, type Way } from './ways.ts';

export interface PageReading {
  readonly list: string;
  readonly way: string;
  readonly page: number;
  readonly cost: WorkCost;
}

const USUAL_TIMES = 15;
/** A read is repeated for at most this long, in milliseconds. */
const LONGEST = 1_000;

/** The measured pages of a list: the first, three in between, the last. */
export const pagesToRead = (list: BenchList): number[] => {
  const last = Math.ceil(list.length / COMPARED_PAGE_SIZE);
  return [...new Set([1, 100, 1_000, 4_000, last].filter((page) => page <= last))].toSorted((a, b) => a - b);
};

/**
 * Reads the pages of a list in every way, one after the other and repeatedly, and checks that all ways agree. `report`
 * gets the progress.
 */
export async function readAll(
  list: BenchList,
  ways: readonly Way[],
  meter: Meter,
  report: (text: string) => void,
  times = USUAL_TIMES,
): Promise<PageReading[]> {
  const readings: PageReading[] = [];
  for (const page of pagesToRead(list)) {
    report(`reads: ${list.name}, page ${page}`);
    const takers = ways.map((way) => new Taker(way, list, page, meter));
    // The first read warms up, and counts only where there is no time for another.
    for (let time = 0; time <= times; time++) {
      for (const taker of takers) if (time === 0 || taker.hasTime) await taker.take();
    }
    const [first] = takers;
    for (const { way, read } of takers) check(list, way, page, read, first?.read ?? read);
    readings.push(...takers.map(({ way, cost }) => ({ list: list.name, way: way.name, page, cost })));
  }
  return readings;
}

/** Reads one page in one way. */
class Taker {
  readonly way: Way;
  readonly #measure: () => ReturnType<typeof Meter.prototype.measure<PageRead>>;
  readonly #costs: WorkCost[] = [];
  read: PageRead = { ids: [] };

  constructor(way: Way, list: BenchList, page: number, meter: Meter) {
    this.way = way;
    this.#measure = () => meter.measure(() => way.read(list, page));
  }

  get hasTime(): boolean {
    return this.#costs.reduce((sum, { milliseconds }) => sum + milliseconds, 0) < LONGEST;
  }

  async take(): Promise<void> {
    const { result, cost } = await this.#measure();
    this.read = result;
    this.#costs.push(cost);
  }

  get cost(): WorkCost {
    const [first, ...others] = this.#costs;
    const costs = others.length === 0 && first !== undefined ? [first] : others;
    const [cost] = costs;
    if (cost === undefined) throw new Error(`${this.way.name} has read nothing`);
    return { ...cost, milliseconds: median(costs.map(({ milliseconds }) => milliseconds)) };
  }
}

function check(list: BenchList, way: Way, page: number, read: PageRead, expected: PageRead): void {
  const size = Math.min(COMPARED_PAGE_SIZE, list.length - (page - 1) * COMPARED_PAGE_SIZE);
  const isRight =
    read.ids.length === size &&
    read.ids.every((id, index) => id === expected.ids[index]) &&
    (!way.total || read.total === list.length);
  if (!isRight) {
    const got = `${read.ids.length} records, total ${read.total}`;
    throw new Error(`${way.name} gives a wrong page ${page} of the list "${list.name}": ${got}`);
  }
}
