import type { Table } from '../connection/client.ts';
import { setPartition } from '../keys.ts';
import { type Item, TTL_ATTRIBUTE } from '../schema.ts';
import type { TimeLimit } from '../transaction/retry.ts';
import { UnitOfWork } from '../transaction/unit-of-work.ts';
import { bitPlace } from './bits.ts';
import type { TakenNumber } from './head.ts';
import { sortKeyOf } from './ids.ts';
import { TOMBSTONE } from './read-records.ts';
import { setExpiry, stageEntry } from './set-writes.ts';

/**
 * Numbers that were taken and have no record: their writer crashed, was refused, or is still on its way. Such a number is closed by a tombstone in
 * its place, on condition that nothing is there, and the bit of its gap, in one transaction. From then on the writer's own condition fails,
 * and it takes another number: no clock decides who is late.
 */

/** Writers are given so many milliseconds before a reader fences their number, or until so many others were given after it. */
const COURTESY = { time: 5_000, numbers: 100 } as const;

/**
 * Whether a number was given out so long ago that no polite writer is on its way with it. A courtesy: without it writers only write once more.
 * Clocks that disagree wait for nobody.
 */
export const isLate = ({ AT: at, NEXT: next }: Item, number: number, now: number): boolean =>
  Math.abs(now - Number(at ?? 0)) >= COURTESY.time || Number(next ?? 0) - number > COURTESY.numbers;

interface Unwritten {
  readonly partition: string;
  readonly number: number;
  /** In epoch seconds, where the list's records expire. */
  readonly expires: number | undefined;
}

function stageFence(work: UnitOfWork, { partition, number, expires }: Unwritten): void {
  const tombstone = {
    PK: partition,
    SK: sortKeyOf(number),
    [TOMBSTONE]: true,
    ...(expires === undefined ? {} : { [TTL_ATTRIBUTE]: setExpiry(expires) }),
  };
  work.put(tombstone, () => new Error('there is a record, or a fence'));
  stageEntry(work, { set: setPartition(partition), number, expires });
}

/** Stages that the taker of a number gives it back. */
export const stageReturn = (work: UnitOfWork, { list: { partition }, number, expires }: TakenNumber): void =>
  stageFence(work, { partition, number, expires });

/** So many tombstones and the bits of their gaps go in one transaction. */
const MOST = 99;
/** Fences are tried once: what stands against one, the next reader looks at. */
const ONCE: TimeLimit = { clock: () => 0, deadline: 0 };

/**
 * Fences numbers that a reader found without a record. Also on condition that the words of their gaps are as the reader saw them: a record that was
 * deleted meanwhile has left its key free, and its bit must not be added twice. A failure is ignored.
 * @param gaps the items that the list's gaps stand in, as they were read before the records were found missing
 */
export async function fence(table: Table, unwritten: readonly Unwritten[], gaps: readonly Item[]): Promise<void> {
  const byItem = Map.groupBy(unwritten, ({ number }) => bitPlace(number).sortKey);
  const works = Array.from(byItem, ([sortKey, some]) =>
    stageFences(
      some.slice(0, MOST),
      gaps.find(({ SK }) => SK === sortKey),
    ),
  );
  await Promise.allSettled(works.map((work) => work.commit(table, ONCE)));
}

function stageFences(unwritten: readonly Unwritten[], seen: Item = {}): UnitOfWork {
  const work = new UnitOfWork();
  // The item is needed for as long as the last of its gaps.
  const latest = unwritten.reduce(
    (last, { expires }) => (expires === undefined ? last : Math.max(last, setExpiry(expires))),
    Number(seen[TTL_ATTRIBUTE] ?? 0),
  );
  for (const { partition, number, expires } of unwritten) {
    stageFence(work, { partition, number, expires });
    const { sortKey, word } = bitPlace(number);
    work.update(
      { PK: setPartition(partition), SK: sortKey },
      {
        condition: { equals: { [word]: seen[word] } },
        set: expires === undefined ? {} : { [TTL_ATTRIBUTE]: latest },
        onConditionFailed: () => new Error('the gaps have changed'),
      },
    );
  }
  return work;
}
