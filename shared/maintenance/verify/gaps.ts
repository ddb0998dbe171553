import { setPartition } from '#lists';
import { NumberSet, readSet } from '#lists/maintenance';
import { differing, ExpectedSet } from './bits.ts';
import type { VerifyContext } from './difference.ts';
import { withRetries } from './reading.ts';
import type { RecordScan } from './scan-records.ts';

/** Numbers that are a gap but have a record, or are not a gap and have none. */
export async function doubtfulGaps(
  scope: VerifyContext,
  { partition, floor, next, live }: RecordScan,
): Promise<number[]> {
  const expected = new ExpectedSet();
  for (let number = floor; number < next; number++) if (!live.has(number)) expected.add(number);
  const stored = await readNumberSet(scope, setPartition(partition));
  return differing(expected, stored).filter((number) => number >= floor);
}

export async function readNumberSet(scope: VerifyContext, set: string): Promise<NumberSet> {
  return NumberSet.ofItems(await withRetries(scope, () => readSet(scope.table, set)));
}
