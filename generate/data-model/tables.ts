import type { MarkdownTable } from '../markdown.ts';
import type { BoundCheck } from './bounds.ts';
import { type Played, readUnitsOf, roundTripsOf, writeUnitsOf } from './play.ts';
import { keyWordsOf, tallied } from './words.ts';

/** The measured tables of `docs/data-model.md`. */

/** The calls of each operation. */
export const patternTable = (played: readonly Played[]): MarkdownTable => ({
  head: ['endpoint', 'calls, by round trip', 'round trips', 'read units', 'write units'],
  rows: played.map(({ title, calls }) => [
    `\`${title}\``,
    roundTripsOf(calls)
      .map((roundTrip, index) => `**${index + 1}** ${tallied(roundTrip.map(keyWordsOf).sort())}`)
      .join('<br>'),
    ...[roundTripsOf(calls).length, readUnitsOf(calls), writeUnitsOf(calls)].map(String),
  ]),
});

/** The bounds with the measurements. */
export const boundTable = (checks: readonly BoundCheck[]): MarkdownTable => ({
  head: ['operation', 'write units', 'at most', 'round trips', 'at most', 'read units'],
  rows: checks.map(({ title, roundTrips, roundTripsAtMost, writeUnits, writeUnitsAtMost, readUnits }) =>
    [`\`${title}\``, writeUnits, writeUnitsAtMost, roundTrips, roundTripsAtMost, readUnits].map(String),
  ),
});
