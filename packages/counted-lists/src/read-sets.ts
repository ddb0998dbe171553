import { isEmpty, STRIPES } from './bits.ts';
import { NumberSet } from './number-set.ts';
import { beginningWith, between, queryAll, queryUpTo, readItems } from './queries.ts';
import type { Item } from './schema.ts';
import type { Table, TimeLimit } from './table.ts';

/**
 * Reads the sets of several clauses for their AND, strongly consistent:
 *
 *     round trip 1   the first items of each set: all of those that have up to a million numbers
 *     round trip 2   of a longer set the items in which all complete ones have members, if these are few; else the rest
 *
 * Clauses whose members are taken out of the result say nothing about where it has members. A clause with several
 * values is read as a whole, twice ({@link readUnion}).
 */

/** The sets of a clause: those of any of its values. */
interface WantedClause {
  /** Their partitions. */
  readonly sets: readonly string[];
  /** Whether their members are those that the list does not have. */
  readonly isExcluded: boolean;
}

/** The members of a clause, as far as the AND of all needs them. */
interface ReadClause {
  readonly isExcluded: boolean;
  readonly numbers: NumberSet;
  /** Items as they were read at one time. */
  readonly items: readonly Item[];
}

/** What was read of a clause. */
interface ClauseRead {
  readonly items: readonly Item[];
  readonly numbers: NumberSet;
  /** In read units. */
  readonly units: number;
  /** The sort key after which the only set has further items. */
  readonly end?: string | undefined;
}

/** Most items of a first look: one more than a million numbers have, so that their set is known to be complete. */
const FIRST_LOOK = 8 * STRIPES + 1;

/** Most keys of a `BatchGetItem`. */
const KEYS_A_CALL = 100;

/**
 * @param given sort keys of the items that a further set has, which is read beside these and is small; undefined where
 * there is none. It may turn out
 *   that its members are not known.
 */
export async function readSets(
  table: Table,
  clauses: readonly WantedClause[],
  given: Promise<ReadonlySet<string> | undefined> | undefined,
  timeLimit: TimeLimit,
): Promise<readonly ReadClause[]> {
  const most = given === undefined && clauses.length === 1 ? undefined : FIRST_LOOK;
  const begin = ({ sets }: WantedClause) =>
    sets.length === 1 ? readSet(table, sets[0] ?? '', most) : readUnion(table, sets);
  const [places, reads] = await Promise.all([given, Promise.all(clauses.map(begin))]);
  const bounding = reads.filter(({ end }, index) => end === undefined && clauses[index]?.isExcluded === false);
  const bounds = [...(places === undefined ? [] : [places]), ...bounding.map(placesIn)];
  const common = bounds.length === 0 ? undefined : bounds.reduce((one, other) => one.intersection(other));
  const completed = reads.map(async ({ items, numbers, end }, index) => {
    const { isExcluded = false, sets: [set = ''] = [] } = clauses[index] ?? {};
    if (end === undefined) return { isExcluded, numbers, items };
    const all = () => queryAll(table, between(set, [`${end}~`, 'B#~']));
    const rest = (await readFew(table, set, end, common, timeLimit)) ?? (await all());
    return { isExcluded, numbers: NumberSet.either([numbers, NumberSet.ofItems(rest)]), items: [...items, ...rest] };
  });
  return Promise.all(completed);
}

/** The sort keys of the items with members. */
const placesIn = ({ items }: ClauseRead): ReadonlySet<string> =>
  new Set(items.filter((item) => !isEmpty(item)).map(({ SK }) => String(SK)));

async function readSet(table: Table, partition: string, most?: number): Promise<ClauseRead> {
  const { items, units, last } = await queryUpTo(table, beginningWith(partition, 'B#'), most);
  return { items, numbers: NumberSet.ofItems(items), units, end: last === undefined ? undefined : String(last.SK) };
}

/** How often to read sets whose readings differ, and the units after which to stop: large sets change all the time. */
const MOST_READINGS = 6;
const MOST_UNITS = 100;

/**
 * The union of several sets. A record that moves from one to another while they are read must not be missing, as it is
 * where its new set is read before the move and its old one after it. So all are read again. If the record moves before
 * its new set is read again, that reading has it; if not, the first reading of its old set has it.
 *
 * Where two readings agree, the union is that of one moment between them. Where they do not, all is read once more, as
 * far as that is cheap. A list whose records move all the time has the union of the last two: it misses no record that
 * moved once meanwhile, and may have one that left beside one that came.
 */
async function readUnion(table: Table, sets: readonly string[]): Promise<ClauseRead> {
  const readAll = () => Promise.all(sets.map((set) => readSet(table, set)));
  let [before, last] = [await readAll(), await readAll()];
  let units = 0;
  for (let readings = 2; readings < MOST_READINGS && !areSame(before, last); readings++) {
    units += last.reduce((sum, read) => sum + read.units, 0);
    if (units > MOST_UNITS) break;
    [before, last] = [last, await readAll()];
  }
  const numbers = NumberSet.either([...before, ...last].map((read) => read.numbers));
  return { items: last.flatMap(({ items }) => items), numbers, units };
}

const areSame = (before: readonly ClauseRead[], last: readonly ClauseRead[]): boolean =>
  last.every(({ numbers }, index) => {
    const earlier = before[index]?.numbers ?? NumberSet.EMPTY;
    return numbers.hasAll(earlier) && earlier.hasAll(numbers);
  });

/** The items after a sort key with possible members. @returns undefined where they are many, or unknown */
async function readFew(
  table: Table,
  partition: string,
  end: string,
  places: ReadonlySet<string> | undefined,
  timeLimit: TimeLimit,
): Promise<readonly Item[] | undefined> {
  const wanted = places === undefined ? undefined : [...places].filter((sortKey) => sortKey > end);
  if (wanted === undefined || wanted.length > KEYS_A_CALL) return undefined;
  const keys = wanted.map((SK) => ({ PK: partition, SK }));
  return [...(await readItems(table, keys, timeLimit)).items.values()];
}
