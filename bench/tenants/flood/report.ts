import { markdown } from '../../../generate/markdown.ts';
import { STANDARD_LIMIT, STANDARD_SHARE } from '../../../shared/tenancy/budget/request-budget.ts';
import type { Bound } from '../../bounds.ts';
import { type Outcomes, refusedOf } from './outcomes.ts';
import type { Size } from './scenarios.ts';
import type { Simulated } from './simulate.ts';

/** What a flood may take, and what others may notice. */
export const floodBounds = (simulated: readonly Simulated[], size: Size): Bound[] =>
  simulated.flatMap(({ scenario: { name, flood, lostAtMost }, outcomes }) => {
    const { 'the flood': flooding, 'others, same route': near, 'others, other routes': far } = outcomes;
    const lost = (who: string, value: Outcomes, limit: number): Bound => ({
      claim: `flood: ${name}: part of the requests of ${who} that is refused or fails`,
      value: Number((refusedOf(value) / value.sent).toFixed(4)),
      limit,
    });
    const ofOthers = [
      lost('others on its route', near, lostAtMost.near),
      lost('others on other routes', far, lostAtMost.far),
    ];
    const claim = `flood: ${name}: its requests that are served`;
    const accepted = { claim, value: flooding.served, limit: mostServed(size) };
    return flood === undefined ? ofOthers : [...ofOthers, accepted];
  });

/**
 * A full bucket of the tenant and what refills it; and a fifth of the one and a tenth of the other for what containers
 * admit before they know of each other (`docs/decisions/0081`).
 */
function mostServed({ during }: Size): number {
  const limit = STANDARD_LIMIT * STANDARD_SHARE;
  return limit * 1.2 + ((during * limit) / 60) * 1.1;
}

/** The table of `docs/operations.md`. */
export const floodTable = (simulated: readonly Simulated[]): string =>
  markdown({
    head: [
      'flood',
      'of it served',
      'others on its route lose',
      'others on other routes lose',
      'longest wait of others',
    ],
    rows: simulated.map(({ scenario: { name }, outcomes }) => {
      const { 'the flood': flooding, 'others, same route': near, 'others, other routes': far } = outcomes;
      const wait = Math.max(near.longestWait, far.longestWait);
      return [
        name,
        flooding.sent === 0 ? '–' : `${flooding.served.toLocaleString('en')} of ${flooding.sent.toLocaleString('en')}`,
        ...[near, far].map((others) => `${((100 * refusedOf(others)) / others.sent).toFixed(1)} %`),
        wait === 0 ? '–' : `${(wait / 1_000).toFixed(1)} s`,
      ];
    }),
  });
