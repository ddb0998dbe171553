import { putTombstone } from './fence.ts';
import { gapKeyOf, gapsOf, isGapIn, type Unwritten } from './gap-words.ts';
import { sortKeyOf } from './ids.ts';
import type { Item } from './schema.ts';
import type { Table } from './table.ts';
import type { Sending } from './transaction/commit.ts';
import { isConflict } from './transaction/contention.ts';
import { retry, WAITS } from './transaction/retry.ts';
import { UnitOfWork } from './transaction/unit-of-work.ts';

/**
 * The writer of a number that has no record for it releases the number: its gap bit is set, on condition that the number's key is free and the word is as
 * read. So it is set once, whoever else closes the number, and however often this is sent. Where the record was sent, a tombstone comes first.
 */

/** What became of a record that was sent. Without a response it may be carried out later. */
export type Sent = 'responded' | 'no-response';

/** The gap's word is not known at first. Each refusal returns it. */
const TRIES = 4;

/**
 * @param sent undefined where the record was in no transaction that was sent. The tombstone of one that got a response expires after a day: it is there for a
 *   request that is carried out once more
 * @param sending until when to try, and the time of the tombstone
 */
export async function releaseNumber(
  table: Table,
  unwritten: Unwritten,
  { sent, ...sending }: Sending & { readonly sent: Sent | undefined },
): Promise<void> {
  const now = sending.clock();
  const lasting = sent === 'responded' ? 'a day' : 'for good';
  // The transaction that was refused may still hold the key.
  const put = () => putTombstone(table, unwritten, now, lasting);
  if (sent !== undefined && !(await retry(put, sending, WAITS, meetsOthers(sending)))) return;
  let seen: Item | undefined;
  for (let tries = 1; tries <= TRIES && !isGapIn(seen, unwritten); tries++) {
    const work = new UnitOfWork();
    if (sent === undefined) {
      const key = { PK: unwritten.partition, SK: sortKeyOf(unwritten.number) };
      work.update(key, { condition: { exists: false }, onConditionFailed: () => new Error('the key is not free') });
    }
    work.update(gapKeyOf(unwritten), {
      ...gapsOf([unwritten], seen),
      onConditionFailed: (found) => new OtherWord(found),
    });
    const outcome = await work.commit(table, sending).catch((error: unknown) => error);
    if (!(outcome instanceof OtherWord)) {
      if (outcome !== undefined) throw outcome;
      return;
    }
    seen = outcome.item;
    if (tries > 1) sending.contention?.meet([], outcome, 0);
  }
}

const meetsOthers =
  ({ contention }: Sending) =>
  (error: unknown, pause: number): void => {
    if (isConflict(error)) contention?.meet([], error, pause);
  };

/** The word of a gap is not as it was read. */
class OtherWord extends Error {
  readonly item: Item | undefined;

  constructor(item: Item | undefined) {
    super('the gaps have changed');
    this.item = item;
  }
}
