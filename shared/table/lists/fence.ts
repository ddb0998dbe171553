import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../client.ts';
import { setPartition } from '../keys.ts';
import { TTL_ATTRIBUTE } from '../schema.ts';
import type { Item } from '../staged.ts';
import type { Work } from '../work.ts';
import { bitPlace } from './bits.ts';
import type { TakenNumber } from './head.ts';
import { sortKeyOf } from './ids.ts';
import type { NumberSet } from './number-set.ts';
import { TOMBSTONE } from './read-records.ts';
import { setExpiry, stageEntry } from './set-writes.ts';

/**
 * Numbers that were taken and have no record: their writer crashed, was refused, or is still on its way. Such a number is closed by a tombstone in
 * its place, on condition that nothing is there, and the bit of its gap, in one transaction. From then on the writer's own condition fails,
 * and it takes another number: no clock decides who is late.
 */

/** Writers are given this long before a reader fences their number. A courtesy: without it they only write once more. In milliseconds. */
const COURTESY = 5_000;

/** Whether the last number was given out so long ago that no polite writer is on its way. Clocks that disagree wait for nobody. */
export const isQuiet = (head: Item, now: number): boolean => Math.abs(now - Number(head.AT ?? 0)) >= COURTESY;

interface Unwritten {
  readonly partition: string;
  readonly number: number;
  /** In epoch seconds, where the list's records expire. */
  readonly expires: number | undefined;
}

const tombstoneOf = ({
  partition,
  number,
  expires,
}: Unwritten): Item & { readonly PK: string; readonly SK: string } => ({
  PK: partition,
  SK: sortKeyOf(number),
  [TOMBSTONE]: true,
  ...(expires === undefined ? {} : { [TTL_ATTRIBUTE]: setExpiry(expires) }),
});

/** Stages that the taker of a number gives it back. */
export function stageReturn(work: Work, { list, number, expires }: TakenNumber): void {
  const { partition } = list;
  work.put(tombstoneOf({ partition, number, expires }), () => new Error('the number is fenced already'));
  stageEntry(work, { set: setPartition(partition), number, expires });
}

/**
 * Fences a number that a reader found without a record. Also on condition that the word of its gap is as the reader saw it: a record that was
 * deleted meanwhile has left its key free, and its bit must not be added twice. Whatever stands against it, the next reader looks again.
 * @param gaps as they were read before the record was found missing
 */
export async function fence(table: Table, unwritten: Unwritten, gaps: NumberSet): Promise<void> {
  const { partition, number, expires } = unwritten;
  const { sortKey, word, bit } = bitPlace(number);
  const before = gaps.wordOf(number);
  await table.client.send(
    new TransactWriteCommand({
      TransactItems: [
        {
          Put: {
            TableName: table.name,
            Item: tombstoneOf(unwritten),
            ConditionExpression: 'attribute_not_exists(PK)',
          },
        },
        {
          Update: {
            TableName: table.name,
            Key: { PK: setPartition(partition), SK: sortKey },
            UpdateExpression: `SET #word = :after${expires === undefined ? '' : ', #ttl = :expires'}`,
            ConditionExpression: before === 0n ? '(attribute_not_exists(#word) OR #word = :before)' : '#word = :before',
            ExpressionAttributeNames: { '#word': word, ...(expires === undefined ? {} : { '#ttl': TTL_ATTRIBUTE }) },
            ExpressionAttributeValues: {
              ':before': before,
              ':after': before + bit,
              ...(expires === undefined ? {} : { ':expires': setExpiry(expires) }),
            },
          },
        },
      ],
    }),
  );
}
