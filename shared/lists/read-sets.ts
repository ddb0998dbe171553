import { ClauseRead, type WantedClause } from './clause-read.ts';
import type { Known } from './set-read.ts';
import type { Table } from './table.ts';

/**
 * Reads the sets of several clauses for their AND:
 *
 *     round trip 1   the small ones; of those whose size is unknown the first items
 *     round trip 2   of the others the items in which those that are complete have members, where that is cheaper; else the rest
 *
 * Clauses whose members are taken out of the result say nothing about where it has members: which items of the others are needed depends on the
 * rest. Where no clause is large, or none is small, the first round trip reads all. Sizes are estimates (`set-sizes.ts`): they decide what is read
 * when, and never what belongs to the result, because no item is left out in which a complete clause has members. A clause with several values
 * takes one round trip more, or two (`clause-read.ts`).
 */

/**
 * Each clause, as far as the AND of all needs it. Strongly consistent.
 * @param given sort keys of the items that a further set has, which is read beside these and is small; undefined where there is none. It may turn out
 *   that its members are not known.
 */
export async function readSets(
  table: Table,
  clauses: readonly WantedClause[],
  given: Promise<ReadonlySet<string> | undefined> | undefined,
  known: Known,
): Promise<readonly ClauseRead[]> {
  const reads = clauses.map((clause) => new ClauseRead(table, clause, known));
  const bounding = reads.filter(({ isExcluded }) => !isExcluded);
  const smallest = given === undefined ? Math.min(...bounding.map(({ size }) => size?.reach ?? 0)) : 0;
  const [places] = await Promise.all([
    given,
    ...reads
      .filter((read) => !read.isWorthwhileAfter(smallest))
      .map((read) => read.begin(clauses.length === 1 && given === undefined)),
  ]);
  const unread = reads.filter(({ isComplete }) => !isComplete);
  if (unread.length > 0) {
    const complete = bounding.filter(({ isComplete }) => isComplete).map(({ sortKeys }) => sortKeys);
    const common = commonOf(places === undefined ? complete : [places, ...complete]);
    await Promise.all([known.onLarge(), ...unread.map((read) => read.complete(common))]);
  }
  return reads;
}

/** The sort keys that all have; undefined where there are none of them. */
const commonOf = (all: readonly ReadonlySet<string>[]): ReadonlySet<string> | undefined =>
  all.length === 0 ? undefined : all.reduce((one, other) => one.intersection(other));
