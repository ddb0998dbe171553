import { ClauseRead, type WantedClause } from './clause-read.ts';
import type { Table } from './table.ts';

/**
 * Reads the sets of several clauses for their AND:
 *
 *     round trip 1   a first look at each set, in which those of up to a million numbers are complete
 *     round trip 2   of the others the items in which those that are complete have members, where that is cheaper; else the rest
 *
 * Clauses whose members are taken out of the result say nothing about where it has members: which items of the others are needed depends on the
 * rest. No item is left out in which all complete clauses have members. A clause with several values takes one round trip more, or two
 * (`clause-read.ts`).
 */

/**
 * Each clause, as far as the AND of all needs it. Strongly consistent.
 * @param given sort keys of the items that a further set has, which is read beside these and is small; undefined where there is none. It may turn out
 *   that its members are not known.
 * @param next the list's next number, which may be outdated
 */
export async function readSets(
  table: Table,
  clauses: readonly WantedClause[],
  given: Promise<ReadonlySet<string> | undefined> | undefined,
  next: () => Promise<number>,
): Promise<readonly ClauseRead[]> {
  const reads = clauses.map((clause) => new ClauseRead(table, clause, next));
  const isOnly = given === undefined && clauses.flatMap(({ sets }) => sets).length === 1;
  const [places] = await Promise.all([given, ...reads.map((read) => read.begin(isOnly))]);
  const unread = reads.filter(({ isComplete }) => !isComplete);
  if (unread.length === 0) return reads;
  const bounding = reads.filter(({ isComplete, isExcluded }) => isComplete && !isExcluded);
  const bounds = [...(places === undefined ? [] : [places]), ...bounding.map(({ sortKeys }) => sortKeys)];
  const common = bounds.length === 0 ? undefined : bounds.reduce((one, other) => one.intersection(other));
  await Promise.all(unread.map((read) => read.complete(common)));
  return reads;
}
