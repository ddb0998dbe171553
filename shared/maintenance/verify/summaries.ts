import { schema, storedSets } from '#lists';
import { bitPlace, builtFilters, readSet, summary } from '#lists/maintenance';
import { summaryFieldOf } from '#table/storage';
import { changed, type Verified, type VerifyContext, verifyUntilStable } from './difference.ts';
import { concurrently, readTogether, withRetries } from './reading.ts';
import { type RecordScan, readCounterWithRetries } from './scan-records.ts';

/** Recounts the summaries of sets: each count is that of the bits of one item, whose own numbers were verified before. */
export async function verifySummaries(
  scope: VerifyContext,
  scan: RecordScan,
  valuesOf: (field: string) => readonly string[],
): Promise<Verified[]> {
  const built = builtFilters(await readCounterWithRetries(scope, scan.partition));
  const fields = built.map(summaryFieldOf).filter((field) => field !== undefined);
  const sets = fields.flatMap((field) =>
    [...new Set([...(scan.sets.get(field)?.keys() ?? []), ...valuesOf(field)])].map((value) => ({
      name: `${field}=${value}`,
      partition: storedSets.partitionOf(scan.partition, field, value),
    })),
  );
  return concurrently(sets, (set) => recount(scope, scan, set));
}

interface CountedSet {
  readonly name: string;
  readonly partition: string;
}

async function recount(scope: VerifyContext, scan: RecordScan, set: CountedSet): Promise<Verified[]> {
  const items = await withRetries(scope, () => readSet(scope.table, set.partition));
  const suspected = [...summary.compareCounts(items, scan.floor)].filter(
    ([, { members, counted }]) => members !== counted,
  );
  const found: Verified[] = [];
  for (const [first] of suspected) found.push(...(await recountItem(scope, scan, set, first)));
  return found;
}

/** @param first the lowest number that the item of bits can have */
const recountItem = (
  scope: VerifyContext,
  { entity: { name: entity } }: RecordScan,
  { name, partition: PK }: CountedSet,
  first: number,
): Promise<Verified[]> =>
  verifyUntilStable(scope, async () => {
    const { sortKey, count } = summary.countPlace(first);
    const [bitsKey, countKey] = [
      { PK, SK: bitPlace(first).sortKey },
      { PK, SK: sortKey },
    ];
    const [bits, counts] = await readTogether(scope, [bitsKey, countKey]);
    const compared = summary.compareCounts([bits, counts].filter((item) => item !== undefined));
    const { members, counted } = compared.get(first) ?? { members: 0, counted: 0 };
    if (members === counted) return { differences: [] };
    const expires = counts === undefined ? bits?.[schema.TTL] : undefined;
    const text = `${entity} ${name}: ${members} numbers from ${first} on are counted as ${counted}`;
    return {
      differences: [{ kind: 'wrong-count', entity, field: name, text }],
      repair: (work) => {
        work.update(bitsKey, { condition: summary.bitsAsRead(bits), onConditionFailed: changed });
        work.update(countKey, {
          set: { [count]: members, ...(expires === undefined ? {} : { [schema.TTL]: expires }) },
          condition: { equals: { [count]: counts?.[count] } },
          onConditionFailed: changed,
        });
      },
    };
  });
