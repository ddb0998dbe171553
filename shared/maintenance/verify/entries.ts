import { readPartition } from '#lists';
import { textIndex } from '#lists/maintenance';
import { entriesOf, recordWords } from '#table/storage';
import type { IndexEntry } from './corrected.ts';
import { changed, type Verified, type VerifyContext, verifyUntilStable } from './difference.ts';
import { concurrently } from './reading.ts';
import type { RecordScan } from './scan-records.ts';

/**
 * Compares the indexes of texts with their records. Numbers whose entries differ are only suspected, and verified (`number.ts`); an item
 * that is no entry at all belongs to no number, and is removed.
 */
export async function suspectedInIndexes(
  scope: VerifyContext,
  scan: RecordScan,
  suspect: (number: number, place?: IndexEntry) => void,
): Promise<Verified[]> {
  const unexpected: Verified[] = [];
  for (const [index, sums] of scan.entries) {
    const partition = textIndex.partitionOf(scan.partition, entriesOf(index) ?? '');
    const notEntries: string[] = [];
    for await (const item of readPartition(scope, partition)) {
      const entry = textIndex.entryIn(String(item.SK));
      if (entry === undefined) notEntries.push(String(item.SK));
      else sums.found(entry.number, entry.text, recordWords.entryAttributesIn(item));
    }
    await suspectEntries(scope, { index, partition }, new Set(sums.differing()), suspect);
    unexpected.push(
      ...(await concurrently(notEntries, (sortKey) =>
        removeUnexpected(scope, scan, index, { PK: partition, SK: sortKey }),
      )),
    );
  }
  return unexpected;
}

/** Suspects all entries of these numbers. Those that their records should have are looked at in any case. */
async function suspectEntries(
  scope: VerifyContext,
  { index, partition }: { readonly index: string; readonly partition: string },
  numbers: ReadonlySet<number>,
  suspect: (number: number, place?: IndexEntry) => void,
): Promise<void> {
  if (numbers.size === 0) return;
  for (const number of numbers) suspect(number);
  for await (const { SK } of readPartition(scope, partition)) {
    const entry = textIndex.entryIn(String(SK));
    if (entry !== undefined && numbers.has(entry.number)) suspect(entry.number, { field: index, value: entry.text });
  }
}

const removeUnexpected = (
  scope: VerifyContext,
  { entity: { name } }: RecordScan,
  field: string,
  key: { readonly PK: string; readonly SK: string },
): Promise<Verified[]> =>
  verifyUntilStable(scope, async () => ({
    differences: [
      {
        kind: 'wrongly-in-list',
        entity: name,
        field,
        text: `${name} ${JSON.stringify(key.SK)} in ${field} is no entry`,
      },
    ],
    repair: (work) => work.delete(key, {}, changed),
  }));
