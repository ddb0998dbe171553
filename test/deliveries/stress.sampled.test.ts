import { describe, expect, it } from 'vitest';
import { holds } from '../../bench/bounds.ts';
import { SIZES, type Size, stress, stressBounds } from '../../bench/deliveries/stress.ts';
import { freshTable } from '../support/dynamodb.ts';
import { byExtent } from '../support/extent.ts';
import { prepared } from '../support/prepared.ts';

/**
 * What `npm run bench -- deliveries` holds deliveries to, for a short time: writers, workers, wake-ups and receivers in
 * every kind of trouble.
 */

const place = prepared(freshTable);

const seeds = Array.from({ length: byExtent({ sample: 1, extended: 2, nightly: 20 }) }, (_, seed) => seed);
const size = byExtent<Size>({ sample: SIZES.least, extended: SIZES.least, nightly: SIZES.small });

describe.each(['most', 'none'] as const)('wake-ups: %s', (wakeUps) => {
  it.each(seeds)('nothing is missing, and nothing comes twice without a reason: seed %i', async (seed) => {
    const stressed = await stress(place, seed, size, wakeUps);
    expect(stressed.events).toBeGreaterThan(size.writers);
    expect(stressBounds(stressed).filter((bound) => !holds(bound))).toEqual([]);
  });
});
