import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../client.ts';
import { countPartition } from '../keys.ts';
import { holePlace, type Words } from './holes.ts';

/**
 * Marks numbers in buckets outside of a transaction, each word on the condition that it is still as it was read: two who mark the same
 * number at once must not add its bit twice. A word that has changed is left alone, whoever changed it may have marked the same number.
 * @param keyOf sort key of a bucket
 * @param buckets the words as they were read
 */
export async function mark(
  table: Table,
  list: string,
  keyOf: (bucket: number) => string,
  numbers: readonly number[],
  buckets: ReadonlyMap<number, Words>,
): Promise<void> {
  const additions = new Map<string, { bucket: number; word: string; bits: bigint }>();
  for (const number of numbers) {
    const { bucket, word, bit } = holePlace(number);
    const place = `${bucket} ${word}`;
    additions.set(place, { bucket, word, bits: (additions.get(place)?.bits ?? 0n) | bit });
  }
  await Promise.all(
    Array.from(additions.values(), async ({ bucket, word, bits }) => {
      const before = buckets.get(bucket)?.[Number(word.slice(1))] ?? 0n;
      const update = new UpdateCommand({
        TableName: table.name,
        Key: { PK: countPartition(list), SK: keyOf(bucket) },
        UpdateExpression: 'SET #word = :after',
        ConditionExpression: before === 0n ? 'attribute_not_exists(#word) OR #word = :before' : '#word = :before',
        ExpressionAttributeNames: { '#word': word },
        ExpressionAttributeValues: { ':before': before, ':after': before | bits },
      });
      await table.client.send(update).catch((error: unknown) => {
        if (!isOvertaken(error)) throw error;
      });
    }),
  );
}

/** Another write came first, or is under way in a transaction. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof Error && /^(ConditionalCheckFailed|TransactionConflict)Exception$/.test(error.name);
