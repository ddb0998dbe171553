import type { MarkdownTable } from '../markdown.ts';
import type { BoundCheck } from './bounds.ts';
import { type Played, readUnitsOf, roundTripsOf, writeUnitsOf } from './play.ts';
import { wordsOf } from './words.ts';

/** The measured tables of `docs/data-model.md`. */

/** The page has all writes, and the reads of tickets: others have the same shapes. */
export const isShown = ({ title }: Played): boolean => !title.startsWith('GET ') || title.startsWith('GET /tickets');

/** The calls of each operation; round trips have numbers where there are several. */
export const patternTable = (played: readonly Played[]): MarkdownTable => ({
  head: ['endpoint', 'calls, by round trip', 'read units', 'write units'],
  rows: played.map(({ title, calls }) => [
    `\`${title}\``,
    numbered(roundTripsOf(calls).map(wordsOf)),
    ...[readUnitsOf(calls), writeUnitsOf(calls)].map(String),
  ]),
});

const numbered = (roundTrips: readonly string[]): string =>
  roundTrips.length === 1
    ? roundTrips.join('')
    : roundTrips.map((words, index) => `**${index + 1}** ${words}`.trim()).join('<br>');

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
