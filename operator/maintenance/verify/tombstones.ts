import { ids, schema, storedSets } from '@custodia/counted-lists';
import { counterKeyOf } from '@custodia/counted-lists/maintenance';
import { CLOCKS_DIFFER_MS } from '../../../shared/clock.ts';
import { changed, commit, type VerifyContext } from './difference.ts';
import { concurrently, readNumberSet } from './reading.ts';
import type { RecordScan } from './scan-records.ts';

/**
 * Deletes tombstones that are no longer needed. A tombstone refuses a paused writer; a number that was allocated more
 * than a day ago has no writer, because no request sends a record so late (`lists/number-pool.ts`). The gap bit stays.
 * A run with `--repair` notes the next number of each list with tombstones; a run a day later deletes those of lower
 * numbers.
 */

/** Attributes of a counter item: the next number at the time of the note, and that time in epoch milliseconds. */
const NOTED_NEXT = 'NOTED_NEXT';
const NOTED_AT = 'NOTED_AT';

const DAY = 86_400_000;

/** @returns how many were deleted */
export async function deleteTombstones(scope: VerifyContext, scan: RecordScan): Promise<number> {
  const { counter, tombstones } = scan;
  if (!scope.repair || tombstones.length === 0) return 0;
  const now = scope.clock();
  const { [NOTED_NEXT]: next, [NOTED_AT]: at } = counter;
  // A note in the future comes from a wrong clock, and would keep the tombstones until then.
  const isNoted = Number(at ?? Number.POSITIVE_INFINITY) <= now + CLOCKS_DIFFER_MS;
  if (isNoted && now - Number(at) < DAY) return 0;
  const deleted = isNoted ? await deleteBelow(scope, scan, Number(next)) : 0;
  await note(scope, scan, now);
  return deleted;
}

/**
 * Notes the next number, unless another run did. Where the operator's clock is slow, the time of the writer who took
 * the last number counts, so that the note is not too old.
 */
const note = (scope: VerifyContext, { partition, counter, next }: RecordScan, now: number): Promise<boolean> =>
  commit(scope, (work) =>
    work.update(counterKeyOf(partition), {
      set: { [NOTED_NEXT]: next, [NOTED_AT]: Math.max(now, Number(counter[schema.AT] ?? 0)) },
      condition: { exists: true, equals: { [NOTED_AT]: counter[NOTED_AT] } },
      onConditionFailed: changed,
    }),
  );

async function deleteBelow(scope: VerifyContext, { partition, tombstones }: RecordScan, end: number): Promise<number> {
  const gaps = await readNumberSet(scope, storedSets.partitionOf(partition));
  const unneeded = tombstones.filter((number) => number < end && gaps.has(number));
  await concurrently(unneeded, async (number) => {
    const key = { PK: partition, SK: ids.sortKeyOf(number) };
    await commit(scope, (work) => work.delete(key, { equals: { [schema.TOMBSTONE]: true } }, changed));
    return [];
  });
  return unneeded.length;
}
