import { builtFilters, counterKeyOf, markOf, marksOf } from '@custodia/counted-lists/maintenance';
import { changed, NOTHING, type Verified, verifyUntilStable } from './difference.ts';
import { type ListContext, verifyNumbers } from './numbers.ts';
import { readCounter } from './reading.ts';
import { type RecordScan, scanRecords } from './scan-records.ts';

/**
 * Compares a list with its records: its counter item, its gaps, the entries of its indexes. Filters that were added
 * later are built: the records missing in their lists are reported in one line. Once there are none, the filter is
 * noted in the counter item, and from then on its lists are served.
 */
export async function verifyList(scope: ListContext, scan: RecordScan): Promise<Verified[]> {
  const ofCounterItem = await verifyCounterItem(scope, scan);
  const ofNumbers = await verifyNumbers(scope, scan);
  const isOld = ({ kind }: Verified): boolean => kind === 'filter-not-built';
  const ofFilters = await verifyFilters(scope, scan, ofNumbers.filter(isOld));
  return [...ofCounterItem, ...ofNumbers.filter((each) => !isOld(each)), ...ofFilters];
}

/**
 * Verifies the counter item: without it, numbers of existing records would be allocated again, and those records would
 * not be listed. In a list with expiring records, no record is listed without its marks, which are restored from the
 * records' own expiry.
 */
const verifyCounterItem = (scope: ListContext, { partition, entity, last, ends }: RecordScan): Promise<Verified[]> =>
  verifyUntilStable(scope, { entity: entity.name, name: 'the counter item' }, async () => {
    const counter = await readCounter(scope, partition);
    const isBehind = Number(counter.NEXT ?? 0) <= last;
    const isUnmarked = ends.length > 0 && marksOf(counter).length === 0;
    if (!isBehind && !isUnmarked) return NOTHING;
    const text = isBehind ? `is behind number ${last}, which has a record` : 'does not say when records expire';
    const marks = isUnmarked ? Object.fromEntries(ends.map(({ end, first }) => [markOf(end), first])) : {};
    return {
      found: [['counter-item-behind', text]],
      repair: (work) =>
        work.update(counterKeyOf(partition), {
          set: { ...marks, ...(isBehind ? { NEXT: last + 1 } : {}), FILTERS: builtFilters(counter) },
          condition: { equals: { NEXT: counter.NEXT, FILTERS: counter.FILTERS } },
          onConditionFailed: changed,
        }),
    };
  });

const ROUNDS = 5;

/** @param found the records that are missing in the lists of a filter, or were until they were repaired */
async function verifyFilters(scope: ListContext, scan: RecordScan, found: readonly Verified[]): Promise<Verified[]> {
  const counter = await readCounter(scope, scan.partition);
  const isBuilt = (field: string): boolean => counter.NEXT === undefined || builtFilters(counter).includes(field);
  const byField = Map.groupBy(found, ({ field }) => field ?? '');
  const doubtful = scan.indexes.names.filter((field) => byField.has(field) || !isBuilt(field));
  if (doubtful.length === 0) return [];
  const unbuilt = doubtful.filter((field) => !isBuilt(field));
  const isComplete = scope.repair && found.every(({ repaired }) => repaired) && (await isEverythingIn(scope, scan));
  const areBuilt = isComplete && unbuilt.length > 0 && (await build(scope, scan, unbuilt));
  return doubtful.map((field): Verified => {
    const missing = byField.get(field) ?? [];
    const state = isBuilt(field) ? 'lack records' : 'are not built';
    const count = `${missing.length} of ${scan.count} records are missing in them`;
    const { name: entity } = scan.entity;
    return {
      ...{ kind: 'filter-not-built', entity, field, text: `${entity} the lists by ${field} ${state}: ${count}` },
      repaired: isBuilt(field) ? isComplete : areBuilt,
      reason: missing.find(({ reason }) => reason !== undefined)?.reason,
    };
  });
}

/**
 * Notes filters whose lists have all records. Then it fences numbers that were allocated before, because their writers
 * may not know the filters. The writers must allocate other numbers, and learn of the filters then.
 * @returns whether all records are in the lists of all filters afterwards
 */
async function build(scope: ListContext, scan: RecordScan, fields: readonly string[]): Promise<boolean> {
  const noted = await verifyUntilStable(scope, { entity: scan.entity.name }, async () => {
    const { FILTERS: filters } = await readCounter(scope, scan.partition);
    const set = { FILTERS: [...new Set([...builtFilters({ FILTERS: filters }), ...fields])] };
    const asRead = { condition: { equals: { FILTERS: filters } }, onConditionFailed: changed };
    return {
      found: [['filter-not-built', 'is not noted']],
      repair: (work) => work.update(counterKeyOf(scan.partition), { set, ...asRead }),
    };
  });
  if (!noted.every(({ repaired }) => repaired)) return false;
  const fenceAtOnce = Number.POSITIVE_INFINITY;
  await verifyNumbers(scope, await scanRecords(scope, scan.entity), fenceAtOnce);
  return isEverythingIn(scope, scan);
}

/**
 * Whether all records are in the lists of all filters. Those that another release has written meanwhile are repaired
 * first.
 */
async function isEverythingIn(scope: ListContext, { entity }: RecordScan): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round++) {
    const scan = await scanRecords(scope, entity);
    if (scan.isComplete) return true;
    await verifyNumbers(scope, scan);
  }
  return false;
}
