import { type Key, readPartition, schema, storedSets } from '@custodia/counted-lists';
import { builtFilters } from '@custodia/counted-lists/maintenance';
import { valueKey } from '#table';
import { putValue, valueExpiry } from '#table/storage';
import { changed, NOTHING, type Verified, type VerifyContext, verifyUntilStable } from './difference.ts';
import { lookAtNumber } from './number.ts';
import { concurrently, readItem, readNumberSets, withRetries } from './reading.ts';
import { type Entry, eachValue, nameOf, type RecordScan } from './scan-records.ts';

export interface ListContext extends VerifyContext {
  /** Values of a field whose sets may have members, besides those that records have. */
  readonly valuesOf: (field: string) => readonly string[];
}

/**
 * Verifies the numbers for which something else is stored than what a scan expects, and the values of their sets.
 * Differences in the scan are only suspected, for records may change meanwhile: each number is then verified by itself
 * (`number.ts`).
 * @param now as of {@link lookAtNumber}
 */
export async function verifyNumbers(scope: ListContext, scan: RecordScan, now?: number): Promise<Verified[]> {
  const { sums, entity } = scan;
  const noEntries: (readonly [index: string, key: Key])[] = [];
  const other = (...item: (typeof noEntries)[number]): void => void noEntries.push(item);
  await readStored(scope, scan, (number, entry, times) => sums.add(number, nameOf(entry), -times), other);
  const suspected = new Map(sums.differing().map((number) => [number, [] as Entry[]]));
  if (suspected.size > 0)
    await readStored(scope, scan, (number, entry) => {
      if (entry !== undefined && entry !== 'trash') suspected.get(number)?.push(entry);
    });

  const ofOthers = await concurrently(noEntries, ([field, key]) =>
    verifyUntilStable(scope, { entity: entity.name, field, name: JSON.stringify(key.SK) }, async () => ({
      found: [['wrongly-in-list', `in ${field} is no entry`]],
      repair: (work) => work.delete(key, {}, changed),
    })),
  );
  const ofValues = await verifyValues(scope, scan);
  // Numbers whose bits are in one item are verified one after another, to avoid conflicts.
  const ofNumbers = await concurrently(
    [...suspected].sort(([one], [other]) => one - other).flatMap(inParts),
    ([number, entries]) =>
      verifyUntilStable(scope, { entity: entity.name, name: `number ${number}` }, () =>
        lookAtNumber(scope, scan, number, entries, now),
      ),
    ([number]) => number % NUMBERS_APART,
  );
  return [...ofOthers, ...ofNumbers, ...ofValues];
}

/** Numbers whose bits are in one item are multiples of this apart. */
const NUMBERS_APART = 32;

/**
 * Most entries that are looked at together, besides those of the record: tags and words, of 100 items that are read and
 * written at once.
 */
const MOST_ENTRIES = 40;

const inParts = ([number, entries]: readonly [number, readonly Entry[]]) =>
  Array.from(
    { length: Math.max(1, Math.ceil(entries.length / MOST_ENTRIES)) },
    (_, part) => [number, entries.slice(part * MOST_ENTRIES, (part + 1) * MOST_ENTRIES)] as const,
  );

/**
 * Reads the gaps of a list and what is stored in its indexes.
 * @param visit gets the entries of each number, or that it is a gap; twice for a number of each damaged word
 * @param other gets items that are no entry, with the name of their index
 */
async function readStored(
  scope: ListContext,
  { partition, indexes, values, floor }: RecordScan,
  visit: (number: number, entry: Entry | 'trash' | undefined, times: number) => void,
  other: (index: string, key: Key) => void = () => undefined,
): Promise<void> {
  const fields = [...indexes.setFields, ...values.keys()];
  const sets = new Map(
    fields.map((field) => [field, new Set([...(values.get(field) ?? []), ...scope.valuesOf(field)])]),
  );
  await concurrently([undefined, ...eachValue(sets)], async (set) => {
    const stored = await readNumberSets(scope, storedSets.partitionOf(partition, set?.field, set?.value));
    for (const [numbers, entry] of [[stored.set, set] as const, [stored.trash, 'trash'] as const]) {
      for (const number of numbers.numbers()) if (number >= floor) visit(number, entry, 1);
      // Whether its bit is right or wrong, the number differs.
      for (const number of numbers.damaged) visit(number, entry, 2);
    }
    return [];
  });
  for (const items of indexes.itemPartitions)
    for await (const item of readPartition(scope, items.partition)) {
      const found = indexes.entryOf(item);
      if (found === undefined) other(items.name, { PK: items.partition, SK: String(item.SK) });
      else visit(found.number, found.entry, 1);
    }
}

/**
 * Verifies that the values that callers have chosen for filters are noted (`repository/stored-values.ts`). Those of
 * filters that are not built are noted before the first set of them exists: one write unit for each value, however many
 * records have it.
 */
async function verifyValues(
  scope: ListContext,
  { entity, partition, indexes, values, notedValues, counter }: RecordScan,
): Promise<Verified[]> {
  const expires = valueExpiry(entity.retentionDays, scope.clock());
  const built = builtFilters(counter);
  return concurrently(indexes.openValues(eachValue(values)), async ({ field, value }) => {
    const key = valueKey(partition, field, value);
    if (!built.includes(field)) {
      if (scope.repair) await withRetries(scope, () => putValue(scope.table, key, expires));
      return [];
    }
    if (notedValues.get(field)?.has(value)) return [];
    return verifyUntilStable(scope, { entity: entity.name, field, name: `${field}=${value}` }, async () => {
      if ((await readItem(scope, key)) !== undefined) return NOTHING;
      return {
        found: [['value-not-noted', 'is not noted: erasing would find its set by records alone']],
        repair: (work) => work.put({ ...key, ...(expires === undefined ? {} : { [schema.TTL]: expires }) }, changed),
      };
    });
  });
}
