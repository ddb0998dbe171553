import type { Table } from '../../generate/markdown.ts';
import type { BoundCheck } from './bounds.ts';
import { type Played, readUnitsOf, roundsOf, writeUnitsOf } from './play.ts';
import { counted, wordsOf } from './words.ts';

/** The tables of `docs/data-model.md` that are measured. */

/** What each operation asks of the table. */
export const patternTable = (played: readonly Played[]): Table => ({
  head: ['endpoint', 'calls, by round', 'rounds', 'read units', 'write units'],
  rows: played.map(({ title, calls }) => [
    `\`${title}\``,
    roundsOf(calls)
      .map((round, index) => `**${index + 1}** ${counted(round.map(wordsOf).sort())}`)
      .join('<br>'),
    ...[roundsOf(calls).length, readUnitsOf(calls), writeUnitsOf(calls)].map(String),
  ]),
});

/** The bounds, with what was measured. */
export const boundTable = (checks: readonly BoundCheck[]): Table => ({
  head: ['operation', 'write units', 'at most', 'rounds', 'at most', 'read units'],
  rows: checks.map(({ title, rounds, roundsAtMost, writeUnits, writeUnitsAtMost, readUnits }) =>
    [`\`${title}\``, writeUnits, writeUnitsAtMost, rounds, roundsAtMost, readUnits].map(String),
  ),
});
