import { storedSets } from '#lists';
import { COUNTER, periods, STRIPES } from '#lists/maintenance';
import { differing, ExpectedSet } from './bits.ts';
import type { IndexEntry } from './corrected.ts';
import { changed, type Verified, type VerifyContext, verifyUntilStable } from './difference.ts';
import { suspectedInIndexes } from './entries.ts';
import { noteValuesToCome } from './filter-values.ts';
import { verifyFilters } from './filters.ts';
import { lookAtNumber } from './number.ts';
import { concurrently, concurrentlyByGroup, readNumberSet } from './reading.ts';
import { doubtfulGaps, type RecordScan, readCounterWithRetries } from './scan-records.ts';

/**
 * Compares a list with its records: its gaps, and the sets of its filters. Differences in the scan are only suspected, for records may change
 * meanwhile; each suspected number is then verified by itself (`number.ts`).
 */
export async function verifyList(
  scope: VerifyContext,
  scan: RecordScan,
  valuesOf: (field: string) => readonly string[],
): Promise<Verified[]> {
  const ofCounterItem = await verifyCounterItem(scope, scan);
  const suspected = await suspectedIn(scope, scan, valuesOf);
  for (const number of [...scan.unnoted, ...scan.miswritten]) placesOf(suspected, number);
  const inIndexes = await suspectedInIndexes(scope, scan, (number, place) => {
    const places = placesOf(suspected, number);
    if (place !== undefined) places.push(place);
  });
  if (scope.repair) await noteValuesToCome(scope, scan);
  const found = await verifyNumbers(scope, scan, suspected);
  const isOld = ({ kind }: Verified): boolean => kind === 'filter-not-built';
  const ofFilters = await verifyFilters(scope, scan, found.filter(isOld));
  return [...ofCounterItem, ...inIndexes, ...found.filter((each) => !isOld(each)), ...ofFilters];
}

/** The sets that may be wrong about a number, by number. */
type Suspected = Map<number, IndexEntry[]>;

function placesOf(suspected: Suspected, number: number): IndexEntry[] {
  const places = suspected.get(number) ?? [];
  suspected.set(number, places);
  return places;
}

async function suspectedIn(
  scope: VerifyContext,
  scan: RecordScan,
  valuesOf: (field: string) => readonly string[],
): Promise<Suspected> {
  const { partition, entity, sets, floor } = scan;
  const suspected: Suspected = new Map();
  for (const number of await doubtfulGaps(scope, scan)) placesOf(suspected, number);
  const fields = [...new Set([...entity.filters, ...sets.keys()])];
  const places = fields.flatMap((field) =>
    [...new Set([...(sets.get(field)?.keys() ?? []), ...valuesOf(field)])].map((value) => ({ field, value })),
  );
  await concurrently(places, async (place) => {
    const stored = await readNumberSet(scope, storedSets.partitionOf(partition, place.field, place.value));
    const expected = sets.get(place.field)?.get(place.value) ?? new ExpectedSet();
    for (const number of differing(expected, stored)) {
      if (number >= floor) placesOf(suspected, number).push(place);
    }
    return [];
  });
  return suspected;
}

/**
 * Verifies the counter item: without it, numbers of existing records would be allocated again, and those records would not be listed. In a list with
 * expiring records, no record is listed without its marks, which are restored from the records' own expiry.
 */
async function verifyCounterItem(
  scope: VerifyContext,
  { partition, entity, last, ends }: RecordScan,
): Promise<Verified[]> {
  return verifyUntilStable(scope, async () => {
    const counter = await readCounterWithRetries(scope, partition);
    const { NEXT: next, FILTERS: filters } = counter;
    const isBehind = Number(next ?? 0) <= last;
    const isUnmarked = ends.length > 0 && periods.marksOf(counter).length === 0;
    if (!isBehind && !isUnmarked) return { differences: [] };
    const text = isBehind
      ? `${entity.name} the next number is ${String(next ?? 0)}, but number ${last} has a record`
      : `${entity.name} the list does not know when its records expire`;
    const marks = isUnmarked ? Object.fromEntries(ends.map(({ end, first }) => [periods.markOf(end), first])) : {};
    return {
      differences: [{ kind: 'head-behind', entity: entity.name, text }],
      repair: (work) =>
        work.update(
          { PK: storedSets.partitionOf(partition), SK: COUNTER },
          {
            set: {
              ...marks,
              ...(isBehind ? { NEXT: last + 1 } : {}),
              ...(filters === undefined ? { FILTERS: [] } : {}),
            },
            condition: { equals: { NEXT: next, FILTERS: filters } },
            onConditionFailed: changed,
          },
        ),
    };
  });
}

/** Verifies each number; those whose bits are in one item one after another, to avoid conflicts. */
const verifyNumbers = (scope: VerifyContext, scan: RecordScan, suspected: Suspected): Promise<Verified[]> =>
  concurrentlyByGroup(
    [...suspected].sort(([one], [other]) => one - other).flatMap(inParts),
    ([number]) => number % STRIPES,
    ([number, places]) => verifyUntilStable(scope, () => lookAtNumber(scope, scan, number, places)),
  );

/** Most places that are looked at together, besides those of the record: tags and words, of 100 items that are read and written at once. */
const MOST_PLACES = 40;

const inParts = ([number, places]: readonly [number, readonly IndexEntry[]]) =>
  Array.from(
    { length: Math.max(1, Math.ceil(places.length / MOST_PLACES)) },
    (_, part): readonly [number, readonly IndexEntry[]] => [
      number,
      places.slice(part * MOST_PLACES, (part + 1) * MOST_PLACES),
    ],
  );
