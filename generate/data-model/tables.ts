import type { MarkdownTable } from '../markdown.ts';
import type { BoundCheck } from './bounds.ts';
import { type Played, readUnitsOf, roundTripsOf, writeUnitsOf } from './play.ts';
import { wordsOf } from './words.ts';

/** The measured tables of `docs/data-model.md`. */

/** The calls of each operation. */
export const patternTable = (played: readonly Played[]): MarkdownTable => ({
  head: ['endpoint', 'calls, by round trip', 'round trips', 'read units', 'write units'],
  rows: played.map(({ title, calls }) => [
    `\`${title}\``,
    roundTripsOf(calls)
      .map((roundTrip, index) => `**${index + 1}** ${wordsOf(roundTrip)}`.trim())
      .join('<br>'),
    ...[roundTripsOf(calls).length, readUnitsOf(calls), writeUnitsOf(calls)].map(String),
  ]),
});

/** The cost of other requests of operations than those above. */
export const variantTable = (checks: readonly BoundCheck[], operations: readonly Played[]): MarkdownTable => ({
  head: ['request', 'round trips', 'read units', 'write units'],
  rows: checks
    .filter(({ title }) => !operations.some((operation) => operation.title === title))
    .map(({ title, roundTrips, readUnits, writeUnits }) =>
      [`\`${title}\``, roundTrips, readUnits, writeUnits].map(String),
    ),
});

/** The bounds with the measurements. */
export const boundTable = (checks: readonly BoundCheck[]): MarkdownTable => ({
  head: ['operation', 'write units', 'at most', 'round trips', 'at most', 'read units'],
  rows: checks.map(({ title, roundTrips, roundTripsAtMost, writeUnits, writeUnitsAtMost, readUnits }) =>
    [`\`${title}\``, writeUnits, writeUnitsAtMost, roundTrips, roundTripsAtMost, readUnits].map(String),
  ),
});
