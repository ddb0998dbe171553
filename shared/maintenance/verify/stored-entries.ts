import { type Key, readPartition, storedSets } from '#lists';
import { type Entry, entryOfItem } from '#lists/maintenance';
import { differing, ExpectedSet } from './bits.ts';
import { changed, type Verified, type VerifyContext, verifyUntilStable } from './difference.ts';
import { concurrently, readNumberSet } from './reading.ts';
import type { RecordScan } from './scan-records.ts';

/** The entries of a list's indexes as they are stored. */

/** Values of a field whose sets may have members. */
export type ValuesOf = (field: string) => readonly string[];

/** Numbers that may have wrong entries, each with entries that it may have wrongly. */
export type Suspected = Map<number, Entry[]>;

export function entriesOf(suspected: Suspected, number: number): Entry[] {
  const entries = suspected.get(number) ?? [];
  suspected.set(number, entries);
  return entries;
}

/**
 * Suspects the numbers whose stored entries are others than those that their records should have. An item that is no entry at all belongs to no number,
 * and is removed.
 */
export async function suspectEntries(
  scope: VerifyContext,
  scan: RecordScan,
  valuesOf: ValuesOf,
  suspected: Suspected,
): Promise<Verified[]> {
  const noEntries: { readonly index: string; readonly key: Key }[] = [];
  await readEntries(scope, scan, valuesOf, {
    entry: (number, entry) => scan.sums.found(number, entry),
    doubtful: (number, entry) => void entriesOf(suspected, number).push(entry),
    other: (index, key) => noEntries.push({ index, key }),
  });
  const numbers = new Set(scan.sums.differing());
  for (const number of numbers) entriesOf(suspected, number);
  if (numbers.size > 0)
    await readEntries(scope, scan, valuesOf, {
      entry: (number, entry) => {
        if (numbers.has(number)) entriesOf(suspected, number).push(entry);
      },
    });
  return concurrently(noEntries, ({ index, key }) => removeOther(scope, scan, index, key));
}

interface Visitor {
  readonly entry: (number: number, entry: Entry) => void;
  /** One whose word is damaged. */
  readonly doubtful?: (number: number, entry: Entry) => void;
  /** An item that is no entry. */
  readonly other?: (index: string, key: Key) => void;
}

async function readEntries(
  scope: VerifyContext,
  { partition, indexes, values, floor }: RecordScan,
  valuesOf: ValuesOf,
  visit: Visitor,
): Promise<void> {
  const fields = new Set([...indexes.setFields, ...values.keys()]);
  const sets = [...fields].flatMap((field) =>
    [...new Set([...(values.get(field) ?? []), ...valuesOf(field)])].map((value) => ({ field, value })),
  );
  await concurrently(sets, async (set) => {
    const stored = await readNumberSet(scope, storedSets.partitionOf(partition, set.field, set.value));
    for (const number of differing(new ExpectedSet(), stored)) if (number >= floor) visit.entry(number, set);
    for (const number of stored.damaged) visit.doubtful?.(number, set);
    return [];
  });
  for (const items of indexes.itemPartitions)
    for await (const item of readPartition(scope, items.partition)) {
      const found = entryOfItem(partition, item);
      if (found === undefined) visit.other?.(items.name, { PK: items.partition, SK: String(item.SK) });
      else visit.entry(found.number, found.entry);
    }
}

const removeOther = (
  scope: VerifyContext,
  { entity: { name } }: RecordScan,
  field: string,
  key: Key,
): Promise<Verified[]> =>
  verifyUntilStable(scope, async () => {
    const text = `${name} ${JSON.stringify(key.SK)} in ${field} is no entry`;
    return {
      differences: [{ kind: 'wrongly-in-list', entity: name, field, text }],
      repair: (work) => work.delete(key, {}, changed),
    };
  });
