import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, storedSets, type Table } from '@custodia/counted-lists';
import { bitPlace, COUNTER, STRIPES, WORD_BITS } from '@custodia/counted-lists/maintenance';
import { BLOCK_SIZE, WORD_NAMES } from '../../test/support/bits.ts';
import { writeItems } from '../write-items.ts';

/** A filter of a list. */
interface Filtered {
  /** Partition of the list's records. */
  readonly partition: string;
  readonly field: string;
  readonly value: string;
}

/**
 * Makes a list as long as if about so many records had been created before, all with the value of the filter: its next
 * number and the filter's set. There are no such records, so only pages of later ones can be read.
 */
export async function lengthen({ partition, field, value }: Filtered, length: number, table: Table): Promise<void> {
  const blocks = Math.round(length / BLOCK_SIZE);
  await writeItems(table, fullItems(storedSets.partitionOf(partition, field, value), blocks));
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { PK: storedSets.partitionOf(partition), SK: COUNTER },
      UpdateExpression: 'SET #next = :next',
      ExpressionAttributeNames: { '#next': 'NEXT' },
      ExpressionAttributeValues: { ':next': blocks * BLOCK_SIZE },
    }),
  );
}

const ALL_BITS = (1n << BigInt(WORD_BITS)) - 1n;

/** The items of a set of all numbers of so many blocks. */
function fullItems(PK: string, blocks: number): Item[] {
  const words = Object.fromEntries(WORD_NAMES.map((name) => [name, ALL_BITS]));
  return Array.from({ length: blocks * STRIPES }, (_, index) => {
    const first = Math.floor(index / STRIPES) * BLOCK_SIZE + (index % STRIPES);
    return { PK, SK: bitPlace(first).sortKey, ...words };
  });
}
