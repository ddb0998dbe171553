import type { SortKey, Where } from '@custodia/counted-lists';
import { isFound, type Row } from './list-oracle.ts';

/** What a query of a list must return, computed from its records in an array and by none of the lists' code. */

/**
 * The records that have all that is wanted, in order: null last, and those that are alike by number, in the direction of the first key. The order of creation is that of
 * the numbers.
 * @param rows in the order of their numbers, with flags as they are shown
 * @param words fields by whose words a record is found
 */
export function answerOf<T extends Row>(
  rows: readonly T[],
  where: readonly Where[],
  sort: readonly SortKey[],
  words: readonly string[],
): T[] {
  const found = rows.filter((row) => where.every((wanted) => hasWanted(row, wanted, words)));
  const created = sort.findIndex(({ field }) => field === 'created_at');
  const keys = created < 0 ? sort : sort.slice(0, created);
  const byNumber = (sort[created] ?? sort[0])?.descending === true ? found.toReversed() : found;
  // A stable sort by the last key first.
  return keys.toReversed().reduce((sorted, key) => sortedBy(sorted, key), byNumber);
}

function sortedBy<T extends Row>(rows: readonly T[], { field, descending }: SortKey): T[] {
  const values = [...new Set(rows.map((row) => row[field] ?? null))].filter((value) => value !== null);
  const rising = values.toSorted((one, other) => (one < other ? -1 : 1));
  const order: unknown[] = [...(descending ? rising.toReversed() : rising), null];
  return order.flatMap((value) => rows.filter((row) => (row[field] ?? null) === value));
}

function hasWanted(row: Row, where: Where, words: readonly string[]): boolean {
  if ('words' in where) return isFound(row, where.words, { words, claims: [] });
  const value = (row[where.field] ?? null) as string | number | boolean | null;
  if ('anyOf' in where) return where.anyOf.includes(value);
  if ('allOf' in where) return where.allOf.every((each) => Array.isArray(value) && value.includes(each));
  if ('accepts' in where) return where.accepts(value);
  if ('ids' in where) return where.ids.has(String(row.id));
  const { from, before, upTo } = where;
  if (value === null) return false;
  return !(
    (from !== undefined && value < from) ||
    (before !== undefined && value >= before) ||
    (upTo !== undefined && value > upTo)
  );
}
