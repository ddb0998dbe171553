import { randomOf } from './random.ts';

/**
 * The extent of tests with many cases: `npm test` runs a sample, `npm run test:slow` the extended tests,
 * `npm run test:nightly` all that is worth a night. The environment variable `TEST_EXTENT` selects it for files named
 * `x.sampled.test.ts`, which all three run.
 */
export type Extent = 'sample' | 'extended' | 'nightly';

export const EXTENT = extentOf(process.env.TEST_EXTENT);

/** @throws Error for an unknown value, which would otherwise run only a sample */
export function extentOf(word: string | undefined): Extent {
  if (word === undefined || word === '') return 'sample';
  if (word === 'sample' || word === 'extended' || word === 'nightly') return word;
  throw new Error(`TEST_EXTENT=${word} must be sample, extended or nightly.`);
}

/** The value for this run's extent, such as the runs of a property or the length of a text. */
export const byExtent = <T>(values: Readonly<Record<Extent, T>>): T => values[EXTENT];

/** How many times as many cases extended tests have as `npm test`. */
const EXTENDED = 2;

/**
 * So many of the cases in `npm test`, the same in every run and in their order; twice as many in extended tests, and all of them in nightly ones.
 *
 *     it.each(sampled(REFUSALS, 12))('refuses %s', …)
 *
 * They are spread by a shuffle with a fixed seed and not taken at equal steps, so that a product of two lists does not show one value of the
 * second alone. Cases that must never be left out are named beside: `[...ALWAYS, ...sampled(OTHERS, 8)]`.
 */
export function sampled<T>(cases: readonly T[], size: number): readonly T[] {
  return byExtent({ sample: sampleOf(cases, size), extended: sampleOf(cases, EXTENDED * size), nightly: cases });
}

/** So many of the cases, spread as {@link sampled} says. */
export function sampleOf<T>(cases: readonly T[], size: number): readonly T[] {
  const random = randomOf(1, 'sample');
  const left = [...cases.keys()];
  const taken = Array.from({ length: Math.min(size, left.length) }, () => left.splice(random.below(left.length), 1));
  return taken
    .flat()
    .toSorted((one, other) => one - other)
    .map((index) => cases[index] as T);
}
