import { declaredEntities } from '../../functions/all-entities.ts';
import { type MarkdownTable, markdown } from '../markdown.ts';
import { withText } from '../places.ts';
import { type BoundCheck, checksOf } from './bounds.ts';
import type { MeasuredOperations } from './measure.ts';
import { costOf, type Played, roundTripsOf } from './play.ts';
import { wordsOf } from './words.ts';

/** The page `docs/data-model.md` with the filters that the domains declare. */
export const withFilters = async (page: string): Promise<string> =>
  withText(page, 'bench:filters', markdown(await filterTable()));

/** The page `docs/data-model.md` with what was measured. */
export const withMeasured = (page: string, measured: MeasuredOperations): string => {
  const shown = withText(page, 'bench:data-model', markdown(patternTable(measured.operations.filter(isShown))));
  return withText(shown, 'bench:variants', markdown(briefTable(checksOf(measured), measured.operations)));
};

const PREFIXES = { set: '', flag: '', words: 'words of ', exact: 'the exact ', order: 'the order and ranges of ' };

/** The indexes of each entity. Derived from the domains' declarations. */
async function filterTable(): Promise<MarkdownTable> {
  const rows = (await declaredEntities()).flatMap(({ name, indexes }) => {
    const listed = indexes.flatMap(({ kind, fields }) =>
      kind === 'queue' ? [] : fields.map((field) => `${PREFIXES[kind]}\`${field}\``),
    );
    return listed.length === 0 ? [] : [[`\`${name}\``, listed.join(', ')]];
  });
  return { head: ['entity', 'can be listed by'], rows };
}

/** The measured tables of `docs/data-model.md`. */

const isRead = ({ title }: Played): boolean => title.startsWith('GET ');

/** Whether the page has the calls of an operation. Others have the same shapes. */
export const isShown = (operation: Played): boolean =>
  isRead(operation)
    ? operation.title.startsWith('GET /tickets')
    : / \/(auth|clients|resources|tickets|logs|webhooks)\b/.test(operation.title);

/** The calls of each operation; round trips have numbers where there are several. */
export const patternTable = (played: readonly Played[]): MarkdownTable => ({
  head: ['endpoint', 'calls, by round trip', 'read units', 'write units'],
  rows: played.map(({ title, calls }) => {
    const { readUnits, writeUnits } = costOf(calls);
    return [`\`${title}\``, numbered(roundTripsOf(calls).map(wordsOf)), String(readUnits), String(writeUnits)];
  }),
});

const numbered = (roundTrips: readonly string[]): string =>
  roundTrips.length === 1
    ? roundTrips.join('')
    : roundTrips.map((words, index) => `**${index + 1}** ${words}`.trim()).join('<br>');

/** The cost of all other writes, and of other requests of operations. */
function briefTable(checks: readonly BoundCheck[], operations: readonly Played[]): MarkdownTable {
  const others = operations
    .filter((operation) => !isRead(operation) && !isShown(operation))
    .map(({ title, calls }) => ({ title, ...costOf(calls) }));
  const variants = checks.filter(({ title }) => !operations.some((operation) => operation.title === title));
  return {
    head: ['request', 'round trips', 'read units', 'write units'],
    rows: [...others, ...variants].map(({ title, roundTrips, readUnits, writeUnits }) =>
      [`\`${title}\``, roundTrips, readUnits, writeUnits].map(String),
    ),
  };
}

/** The bounds with the measurements. */
export const boundTable = (checks: readonly BoundCheck[]): MarkdownTable => ({
  head: ['operation', 'write units', 'at most', 'round trips', 'at most', 'read units'],
  rows: checks.map(({ title, roundTrips, roundTripsAtMost, writeUnits, writeUnitsAtMost, readUnits }) =>
    [`\`${title}\``, writeUnits, writeUnitsAtMost, roundTrips, roundTripsAtMost, readUnits].map(String),
  ),
});
