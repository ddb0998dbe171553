import { sampleOf } from '../../support/extent.ts';
import type { Check } from './checks.ts';
import type { Make } from './hostile.ts';
import { StepCounter } from './step-counter.ts';

/**
 * Prints as JSON which checks take more than linear work. A program of its own, because only modules that are loaded after the counter
 * has begun are counted. Arguments: the shorter and the longer size of the texts, in characters, and of how many routes and headers, or `all`.
 */

const counter = new StepCounter();
const { checks } = await import('./checks.ts');

const [short = 0, long = 0] = process.argv.slice(2, 4).map(Number);
const most = process.argv[4];
/** Work that grows with the square grows so by the square of this. */
const GROWTH = long / short;
/** What checking a text may take whatever its length, in steps. */
const FLOOR = 20_000;
/** What it may take for each character at least, though a shorter text was not looked at, and at most. */
const LEAST = 4;
const MOST = 100;

/** Shows that the counter finds what it is for. */
const quadratic = (size: number): number => {
  let turns = 0;
  for (let outer = 0; outer < size; outer++) for (let inner = 0; inner < outer; inner++) turns++;
  return turns;
};

type Work = (size: number) => void;

/** What is wrong with the growth of this work, in words. */
function excessOf(works: readonly Work[]): string | undefined {
  const stepsFor = (size: number) =>
    counter.stepsOf(() => {
      for (const work of works) work(size);
    });
  const less = stepsFor(short);
  const more = stepsFor(long);
  const grown = Math.min(1.3 * GROWTH * less, MOST * long * works.length);
  const allowed = FLOOR + Math.max(LEAST * long * works.length, grown);
  return more <= allowed ? undefined : `${less} steps for ${short} characters, ${more} for ${long}`;
}

const made = new Map<Make, ReadonlyMap<number, unknown>>();
/** Each value is made once, before steps are counted. */
function madeValue(make: Make, size: number): unknown {
  const values = made.get(make) ?? new Map([short, long].map((each) => [each, make(each)]));
  made.set(make, values);
  return values.get(size);
}

const worksOf = ({ name, values, run }: Check): (readonly [string, Work])[] =>
  Object.entries(values).map(([value, make]) => {
    for (const size of [short, long]) madeValue(make, size);
    return [`${name}: ${value}`, (size) => run(madeValue(make, size))];
  });

// Counting takes longer than checking, so a route's checks are counted together, and each alone only where something is found.
const all = [...Map.groupBy(checks, ({ subject }) => subject)];
const groups = most === 'all' ? all : sampleOf(all, Number(most));
const excesses = groups.flatMap(([subject, group]) => {
  const works = group.flatMap(worksOf);
  const together = excessOf(works.map(([, work]) => work));
  if (together === undefined) return [];
  const alone = works.flatMap(([name, work]) =>
    excessOf([work]) === undefined ? [] : [`${name}: ${excessOf([work])}`],
  );
  return alone.length > 0 ? alone : [`${subject}: ${together}`];
});

console.log(
  JSON.stringify({
    checks: groups.flatMap(([, group]) => group).length,
    excesses,
    // Not more at night, when it would be thousands of millions of steps.
    seeded: excessOf([(size) => quadratic((size / long) * 4_096)]) ?? null,
  }),
);
