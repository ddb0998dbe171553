import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useApi } from '../support/use-api.ts';
import { expectSteps, stepsOf } from './pasted.ts';

/** The README is short and correct: its tour works when pasted and prints the shown output. */

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

const tour = stepsOf(README);

it('has at most 1,000 words', () => {
  expect(README.split(/\s+/).length).toBeLessThanOrEqual(1000);
});

describe('the tour', () => {
  const api = useApi({ deliveries: true });

  it('works when pasted, and returns what it shows', async () => {
    expect(tour.length).toBeGreaterThan(5);
    await expectSteps(tour, api.url);
  });
});
