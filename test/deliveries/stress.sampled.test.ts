import { describe, expect, it } from 'vitest';
import { freshTable } from '../support/dynamodb.ts';
import { byExtent } from '../support/extent.ts';
import { prepared } from '../support/prepared.ts';
import { type Size, stress } from './stress.ts';

/** Writers, workers, wake-ups and receivers in every kind of trouble. */

const place = prepared(freshTable);

const LEAST: Size = { writers: 12, rounds: 4 };
const seeds = Array.from({ length: byExtent({ sample: 1, extended: 2, nightly: 20 }) }, (_, seed) => seed);
const size = byExtent<Size>({ sample: LEAST, extended: LEAST, nightly: { writers: 24, rounds: 12 } });

const WELL = { missing: 0, unwanted: 0, late: 0, repeatsWithoutExcuse: 0, isActive: true };

describe.each(['most', 'none'] as const)('wake-ups: %s', (wakeUps) => {
  it.each(seeds)('nothing is missing, and nothing comes twice without a reason: seed %i', async (seed) => {
    const { events, endpoints, troubles } = await stress(place, seed, size, wakeUps);
    expect(events).toBeGreaterThan(size.writers);
    expect(endpoints).toEqual(endpoints.map(({ name, repeats }) => ({ ...WELL, name, repeats })));
    // A stress in which nothing goes wrong shows nothing.
    expect(troubles).toBeGreaterThan(0);
  });
});
