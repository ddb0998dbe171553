import { storedSets, type Table } from '@custodia/counted-lists';
import { readSet } from '@custodia/counted-lists/maintenance';
import { systemClock } from '../../../shared/clock.ts';
import { RequestSession } from '../../../shared/table/index.ts';
import { jobsOf } from '../records.ts';
import { KINDS } from './kind.ts';
import type { SizedList } from './lists.ts';
import { loadRecords, partitionOf } from './load.ts';

/** Compacts the gaps of a list, as its readers do, each a day after the one before. */
export async function compactList(table: Table, list: SizedList): Promise<void> {
  let newest = list.length - 1;
  while (!list.isLive(newest)) newest--;
  await loadRecords(table, list, [newest]);
  const readGaps = async () => (await readSet(table, storedSets.partitionOf(partitionOf(list)))).length;
  let [before, gaps] = [-1, await readGaps()];
  for (let now = systemClock() - READS * DAY; gaps !== before; now += DAY) {
    const session = new RequestSession(table, () => now, Number.POSITIVE_INFINITY);
    await jobsOf(list.org, session, KINDS[list.kind]).page({ page: 1, page_size: 1 });
    [before, gaps] = [gaps, await readGaps()];
  }
}

/** More than it takes for ten million numbers. */
const READS = 200;
const DAY = 86_400_000;
