import { type MarkdownTable, markdown, rowsIn } from '../markdown.ts';
import { textAt, withText } from '../places.ts';
import { checksOf } from './bounds.ts';
import { filterTable } from './filters.ts';
import type { MeasuredOperations } from './measure.ts';
import { isShown, patternTable, variantTable } from './tables.ts';

/** The page `docs/data-model.md` with the filters that the domains declare. */
export const withFilters = async (page: string): Promise<string> =>
  withText(page, 'bench:filters', markdown(await filterTable()));

/**
 * The page `docs/data-model.md` with what was measured.
 * @param isExact whether the engine counts units as AWS does; of one that does not, the page keeps the units that it has
 */
export function withMeasured(page: string, measured: MeasuredOperations, isExact: boolean): string {
  const tables = {
    'bench:data-model': patternTable(measured.operations.filter(isShown)),
    'bench:variants': variantTable(checksOf(measured), measured.operations),
  };
  return Object.entries(tables).reduce(
    (text, [place, table]) =>
      withText(text, place, markdown(isExact ? table : withUnitsOf(table, textAt(page, place)))),
    page,
  );
}

/** Units that nobody has measured yet. */
export const UNKNOWN = '?';

/** The table with the units of another one that is written down, by the rows' first cells. */
export function withUnitsOf({ head, rows }: MarkdownTable, text: string): MarkdownTable {
  const kept = rowsIn(text);
  const cellsOf = (cells: readonly string[]) =>
    cells.map((cell, column) =>
      head[column]?.endsWith(' units') ? (kept.get(cells[0] ?? '')?.[column] ?? UNKNOWN) : cell,
    );
  return { head, rows: rows.map(cellsOf) };
}
