import { count } from '../../telemetry/invocation.ts';
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
 * Fences numbers that were taken but have no record: their writer crashed, was refused, or is still running. One transaction puts a tombstone
 * at the number's key, on condition that the key is free, and sets the bit of the gap. From then on the writer's own condition fails, and it
 * takes another number. So correctness does not depend on clocks.
 */

/** Grace period of a writer before readers fence its number: so many milliseconds, or so many later numbers. */
const GRACE_PERIOD = { time: 5_000, numbers: 100 } as const;

/**
 * Whether the grace period of a number's writer is over. It only saves retries: a writer whose number is fenced takes another one. There is no
 * grace period when the clocks of writer and reader disagree.
 */
export const isLate = ({ AT: at, NEXT: next }: Item, number: number, now: number): boolean =>
  Math.abs(now - Number(at ?? 0)) >= GRACE_PERIOD.time || Number(next ?? 0) - number > GRACE_PERIOD.numbers;

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
  work.put(tombstone, () => new Error('the number has a record or a tombstone'));
  stageEntry(work, { set: setPartition(partition), number, expires });
}

/** Stages the return of an unused number by its taker. */
export const stageReturn = (work: UnitOfWork, { list: { partition }, number, expires }: TakenNumber): void =>
  stageFence(work, { partition, number, expires });

/** Most numbers that are fenced in one transaction. */
const MOST = 99;
/** Fencing is not retried: the next reader tries again. */
const ONCE: TimeLimit = { clock: () => 0, deadline: 0 };

/**
 * Fences numbers that a reader found without a record. A further condition is that the words of the gaps are as the reader saw them: a record
 * deleted meanwhile has left its key free, and its bit must not be added twice. Best effort: failures are ignored.
 * @param gaps the items of the list's gaps, as read before the records were found missing
 */
export async function fence(table: Table, unwritten: readonly Unwritten[], gaps: readonly Item[]): Promise<void> {
  const byItem = Map.groupBy(unwritten, ({ number }) => bitPlace(number).sortKey);
  const fences = Array.from(byItem, async ([sortKey, all]) => {
    const some = all.slice(0, MOST);
    const seen = gaps.find(({ SK }) => SK === sortKey);
    await stageFences(some, seen).commit(table, ONCE);
    count('ListFences', some.length);
  });
  await Promise.allSettled(fences);
}

function stageFences(unwritten: readonly Unwritten[], seen: Item = {}): UnitOfWork {
  const work = new UnitOfWork();
  // The item must not expire before the last of its gaps.
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
