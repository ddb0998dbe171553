import { storedSets } from '#lists';
import { COUNTER, type Entry, periods, STRIPES } from '#lists/maintenance';
import { changed, type Verified, type VerifyContext, verifyUntilStable } from './difference.ts';
import { noteValuesToCome } from './filter-values.ts';
import { verifyFilters } from './filters.ts';
import { lookAtNumber } from './number.ts';
import { concurrentlyByGroup } from './reading.ts';
import { doubtfulGaps, type RecordScan, readCounterWithRetries } from './scan-records.ts';
import { entriesOf, type Suspected, suspectEntries, type ValuesOf } from './stored-entries.ts';

/**
 * Compares a list with its records: its gaps, and the entries of its indexes. Differences in the scan are only suspected, for records may change
 * meanwhile; each suspected number is then verified by itself (`number.ts`).
 */
export async function verifyList(scope: VerifyContext, scan: RecordScan, valuesOf: ValuesOf): Promise<Verified[]> {
  const ofCounterItem = await verifyCounterItem(scope, scan);
  const suspected: Suspected = new Map();
  for (const number of [...(await doubtfulGaps(scope, scan)), ...scan.unnoted, ...scan.miswritten])
    entriesOf(suspected, number);
  const others = await suspectEntries(scope, scan, valuesOf, suspected);
  if (scope.repair) await noteValuesToCome(scope, scan);
  const found = await verifyNumbers(scope, scan, suspected);
  const isOld = ({ kind }: Verified): boolean => kind === 'filter-not-built';
  const ofFilters = await verifyFilters(scope, scan, found.filter(isOld));
  return [...ofCounterItem, ...others, ...found.filter((each) => !isOld(each)), ...ofFilters];
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

const inParts = ([number, places]: readonly [number, readonly Entry[]]) =>
  Array.from(
    { length: Math.max(1, Math.ceil(places.length / MOST_PLACES)) },
    (_, part): readonly [number, readonly Entry[]] => [
      number,
      places.slice(part * MOST_PLACES, (part + 1) * MOST_PLACES),
    ],
  );
