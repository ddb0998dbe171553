import { setTimeout as sleep } from 'node:timers/promises';
import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { AT, type Item, type Key } from './schema.ts';
import { countingUnits, retry, type Table, type TimeLimit, Unprocessed, unitsOfItem } from './table.ts';
import { isResponse } from './transaction/commit.ts';

/**
 * Entries of new records that are written before them: an item costs one write unit and not the two of a transaction,
 * and conflicts with nothing.
 *
 *     number ─▶ entries, with the time ─▶ transaction: record, bits ─▶ the entries count
 *                   │                          └ refused: the entries are deleted, the number is released
 *                   └ crashed: they stand under a number that gets a gap, and count for nothing
 *
 * A write without a response may be carried out later, when the record may have changed. So only a number whose writes
 * were all answered gets its record; what is carried out late stands under a number that never has one
 * (`docs/counted-lists.md#entries-in-advance`).
 */

/** Most items of a call (AWS, "BatchWriteItem"). */
const ITEMS_A_CALL = 25;

/** An entry, with its key. */
export type EntryItem = Item & Key;

/**
 * Writes entries, and deletes others.
 * @returns whether every attempt was answered: else their number must not get a record
 * @throws what the table answers; {@link TableUnavailable}
 */
export async function writeEntries(
  table: Table,
  { put, gone }: { readonly put: readonly EntryItem[]; readonly gone: readonly Key[] },
  limit: TimeLimit,
): Promise<boolean> {
  const at = limit.clock();
  const requests: Request[] = [
    ...put.map((entry) => ({ PutRequest: { Item: { ...entry, [AT]: at } } })),
    ...gone.map(({ PK, SK }) => ({ DeleteRequest: { Key: { PK, SK } } })),
  ];
  const calls = Map.groupBy(requests, (_, index) => Math.floor(index / ITEMS_A_CALL));
  const answered = await Promise.all(Array.from(calls.values(), (few) => writeFew(table, few, limit)));
  return !answered.includes(false);
}

/** Entries to write, and to delete. */
export type Writes = Parameters<typeof writeEntries>[1];

/** Writes entries for concurrent requests, such as those of a batch: together those of one millisecond. */
export class EntriesTogether {
  /** By table: each tenant has a session of its own. */
  readonly #begun = new Map<
    Table,
    { readonly put: EntryItem[]; readonly gone: Key[]; readonly done: Promise<boolean> }
  >();

  /** As {@link writeEntries}. All that are written together have one outcome. */
  write(table: Table, { put, gone }: Writes, limit: TimeLimit): Promise<boolean> {
    const begun = this.#begun.get(table) ?? this.#begin(table, limit);
    begun.put.push(...put);
    begun.gone.push(...gone);
    return begun.done;
  }

  #begin(table: Table, limit: TimeLimit) {
    const writes = { put: [] as EntryItem[], gone: [] as Key[] };
    const send = async (): Promise<boolean> => {
      await sleep(0);
      this.#begun.delete(table);
      return writeEntries(table, writes, limit);
    };
    const begun = { ...writes, done: send() };
    this.#begun.set(table, begun);
    return begun;
  }
}

type Request = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number];

async function writeFew(table: Table, requests: Request[], limit: TimeLimit): Promise<boolean> {
  let left = requests;
  let areAnswered = true;
  await retry(async () => {
    const units = left.reduce((sum, { PutRequest: put }) => sum + unitsOfItem(put?.Item ?? {}), 0);
    const sending = table.client.send(new BatchWriteCommand({ RequestItems: { [table.name]: left } }));
    await countingUnits(table, units, sending).catch((error: unknown) => {
      areAnswered &&= isResponse(error);
      throw error;
    });
    const { UnprocessedItems, $metadata } = await sending;
    areAnswered &&= ($metadata.attempts ?? 1) === 1;
    left = UnprocessedItems?.[table.name] ?? [];
    if (left.length > 0) throw new Unprocessed(`${left.length} entries were not written`);
  }, limit);
  return areAnswered;
}
