import { readPartition } from '#lists';
import { prefixIndex } from '#lists/maintenance';
import { prefixFieldOf } from '#table/storage';
import { changed, type Verified, type VerifyContext, verifyUntilStable } from './difference.ts';
import type { IndexEntry } from './number.ts';
import { concurrently } from './reading.ts';
import type { RecordScan } from './scan-records.ts';

/**
 * Compares the prefix indexes with their records. Entries that differ are only suspected, and verified with their number (`number.ts`); an item
 * that is no entry at all belongs to no number, and is removed.
 */
export async function suspectedInIndexes(
  scope: VerifyContext,
  scan: RecordScan,
  suspect: (number: number, place: IndexEntry) => void,
): Promise<Verified[]> {
  const unexpected: Verified[] = [];
  for (const [index, expected] of scan.texts) {
    const partition = prefixIndex.partitionOf(scan.partition, prefixFieldOf(index) ?? '');
    const missing = new Map(expected);
    const notEntries: string[] = [];
    for await (const { SK } of readPartition(scope, partition)) {
      const entry = prefixIndex.entryIn(String(SK));
      if (entry === undefined) notEntries.push(String(SK));
      else if (expected.get(entry.number) === entry.text) missing.delete(entry.number);
      else suspect(entry.number, { field: index, value: entry.text });
    }
    for (const [number, value] of missing) suspect(number, { field: index, value });
    unexpected.push(
      ...(await concurrently(notEntries, (sortKey) =>
        removeUnexpected(scope, scan, index, { PK: partition, SK: sortKey }),
      )),
    );
  }
  return unexpected;
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
