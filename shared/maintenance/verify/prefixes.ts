import { readPartition } from '#lists';
import { textIndex } from '#lists/maintenance';
import { entriesOf } from '#table/storage';
import { changed, type Verified, type VerifyContext, verifyUntilStable } from './difference.ts';
import type { IndexEntry } from './number.ts';
import { concurrently } from './reading.ts';
import type { RecordScan } from './scan-records.ts';

/**
 * Compares the indexes of texts with their records. Entries that differ are only suspected, and verified with their number (`number.ts`); an item
 * that is no entry at all belongs to no number, and is removed.
 */
export async function suspectedInIndexes(
  scope: VerifyContext,
  scan: RecordScan,
  suspect: (number: number, place: IndexEntry) => void,
): Promise<Verified[]> {
  const unexpected: Verified[] = [];
  for (const [index, expected] of scan.texts) {
    const partition = textIndex.partitionOf(scan.partition, entriesOf(index) ?? '');
    const missing = new Map(Array.from(expected, ([number, texts]) => [number, new Set(texts)]));
    const notEntries: string[] = [];
    for await (const { SK } of readPartition(scope, partition)) {
      const entry = textIndex.entryIn(String(SK));
      if (entry === undefined) notEntries.push(String(SK));
      else if (expected.get(entry.number)?.includes(entry.text) === true) missing.get(entry.number)?.delete(entry.text);
      else suspect(entry.number, { field: index, value: entry.text });
    }
    for (const [number, texts] of missing) for (const value of texts) suspect(number, { field: index, value });
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
