/** A summary of a series of measurements: its median and its middle half. */
export interface Spread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** The quantile of a series, from 0 to 1, interpolated between two values. */
function quantile(sorted: readonly number[], part: number): number {
  const position = (sorted.length - 1) * part;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/** Median and quartiles. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return { low: quantile(sorted, 0.25), median: quantile(sorted, 0.5), high: quantile(sorted, 0.75) };
}

export const median = (values: readonly number[]): number => spreadOf(values).median;

/** `0.72 (0.70–0.74)` */
export const spreadText = ({ low, median: middle, high }: Spread, digits = 2): string =>
  `${middle.toFixed(digits)} (${low.toFixed(digits)}–${high.toFixed(digits)})`;

/** `count` turns, each with the elements in another order, so that no position is an advantage. */
export const inTurns = <T>(given: readonly T[], count: number): T[][] =>
  Array.from({ length: count }, (_, turn) => given.map((_each, index) => given[(index + turn) % given.length] as T));

/** CPU time of this process during some work, in milliseconds. */
export async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The index of the first of these rising numbers that is above a value, by halving; of the last where none is. */
export function firstAbove(rising: ArrayLike<number>, value: number): number {
  let [low, high] = [0, rising.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rising[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
