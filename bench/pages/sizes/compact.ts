import { systemClock } from '../../../shared/clock.ts';
import { compactGaps } from '../../../shared/lists/compact-gaps.ts';
import type { Table } from '../../../shared/lists/index.ts';
import { type ListSource, membersOf, readView } from '../../../shared/lists/view.ts';
import type { SizedList } from './lists.ts';
import { partitionOf } from './load.ts';

/** Compacts the gaps of a list, as its readers do, each a day after the one before. */
export async function compactList(table: Table, list: SizedList): Promise<void> {
  const partition = partitionOf(list);
  const source: ListSource = {
    partition,
    filters: [],
    clauses: [],
    lookups: [],
    createdAt: 'created_at',
    matches: () => true,
  };
  let before = -1;
  for (let now = systemClock() - READS * DAY; ; now += DAY) {
    const view = await readView(table, source, now);
    if (view.gapItems.length === before) return;
    before = view.gapItems.length;
    const { runs } = membersOf(source, view, new Set(), now);
    await compactGaps(table, { partition, ...view, runs }, now);
  }
}

/** More than it takes for ten million numbers. */
const READS = 200;
const DAY = 86_400_000;
