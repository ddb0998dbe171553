import { storedSets } from '#lists';
import { builtFilters, COUNTER, STRIPES } from '#lists/maintenance';
import { changed, type Verified, type VerifyContext, verifyUntilStable } from './difference.ts';
import { noteValuesToCome } from './filter-values.ts';
import { lookAtNumber } from './number.ts';
import { concurrentlyByGroup } from './reading.ts';
import { doubtfulGaps, type RecordScan, readCounterWithRetries, scanRecords } from './scan-records.ts';

/**
 * Verifies filters that were added later: the records missing in their lists are reported in one line. Once there are none, the filter is noted
 * in the list's counter item, and from then on its lists are served.
 */

const ROUNDS = 5;

/** @param found the records that are missing in the lists of a filter, or were until they were repaired */
export async function verifyFilters(
  scope: VerifyContext,
  scan: RecordScan,
  found: readonly Verified[],
): Promise<Verified[]> {
  const { entity, partition, indexes, count } = scan;
  const counter = await readCounterWithRetries(scope, partition);
  const isBuilt = (field: string): boolean => counter.NEXT === undefined || builtFilters(counter).includes(field);
  const byField = Map.groupBy(found, ({ field }) => field ?? '');
  const doubtful = indexes.names.filter((field) => byField.has(field) || !isBuilt(field));
  if (doubtful.length === 0) return [];
  const isComplete = scope.repair && found.every(({ repaired }) => repaired) && (await isEverythingNoted(scope, scan));
  const unbuilt = doubtful.filter((field) => !isBuilt(field));
  const areBuilt = isComplete && unbuilt.length > 0 && (await build(scope, scan, unbuilt));
  return doubtful.map((field): Verified => {
    const missing = byField.get(field)?.length ?? 0;
    const built = `the lists by ${field}`;
    const text = isBuilt(field)
      ? `${entity.name} ${missing} of ${count} records are missing in ${built}`
      : `${entity.name} ${built} are not built: ${missing} of ${count} records are missing in them`;
    const reason = byField.get(field)?.find((each) => each.reason !== undefined)?.reason;
    const repaired = isBuilt(field) ? isComplete : areBuilt;
    return { kind: 'filter-not-built', entity: entity.name, field, text, repaired, reason };
  });
}

/** Notes filters whose lists have all records, and makes sure that records under way get into the lists, too. */
async function build(scope: VerifyContext, scan: RecordScan, fields: readonly string[]): Promise<boolean> {
  const noted = await note(scope, scan, fields);
  return noted.every(({ repaired }) => repaired) && isInFlightSettled(scope, scan);
}

/**
 * Fences numbers that were allocated before the filter was noted, because their writers may not know the filter. The
 * writers must allocate other numbers, and learn of the filter then.
 * @returns whether all records are in the lists of all filters afterwards
 */
async function isInFlightSettled(scope: VerifyContext, { entity }: RecordScan): Promise<boolean> {
  const scan = await scanRecords(scope, entity);
  const fenceAtOnce = Number.POSITIVE_INFINITY;
  await lookAtEach(await doubtfulGaps(scope, scan), (number) =>
    verifyUntilStable(scope, () => lookAtNumber(scope, scan, number, [], fenceAtOnce)),
  );
  return isEverythingNoted(scope, scan);
}

/** Whether all records are in the lists of all filters. Those that another release has written meanwhile are repaired first. */
async function isEverythingNoted(scope: VerifyContext, { entity }: RecordScan): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round++) {
    const scan = await scanRecords(scope, entity);
    if (scan.unnoted.length === 0) return true;
    await noteValuesToCome(scope, scan);
    await lookAtEach(scan.unnoted, (number) => verifyUntilStable(scope, () => lookAtNumber(scope, scan, number, [])));
  }
  return false;
}

/** Numbers whose bits are in one item are verified one after another, to avoid conflicts. */
const lookAtEach = (numbers: readonly number[], look: (number: number) => Promise<Verified[]>): Promise<Verified[]> =>
  concurrentlyByGroup(numbers, (number) => number % STRIPES, look);

/** Notes filters in the counter item of their list. */
const note = (
  scope: VerifyContext,
  { entity, partition }: RecordScan,
  fields: readonly string[],
): Promise<Verified[]> =>
  verifyUntilStable(scope, async () => {
    const { FILTERS: filters } = await readCounterWithRetries(scope, partition);
    const built = builtFilters({ FILTERS: filters });
    const added = fields.filter((field) => !built.includes(field));
    return {
      differences: added.map((field) => ({ kind: 'filter-not-built', entity: entity.name, field, text: field })),
      repair: (work) =>
        work.update(
          { PK: storedSets.partitionOf(partition), SK: COUNTER },
          {
            set: { FILTERS: [...built, ...added] },
            condition: { equals: { FILTERS: filters } },
            onConditionFailed: changed,
          },
        ),
    };
  });
