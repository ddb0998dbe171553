import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { ids, schema, storedSets, type Table } from '@custodia/counted-lists';
import { NumberSet } from '@custodia/counted-lists/maintenance';
import { COUNTER } from './bits.ts';

/** The stored items of a list, read without the list's own code. */

type Item = Readonly<Record<string, unknown>>;

export async function itemsIn(table: Table, partition: string): Promise<Item[]> {
  const items: Item[] = [];
  let start: Item | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: 'PK = :partition',
        ExpressionAttributeValues: { ':partition': partition },
        ConsistentRead: true,
        ExclusiveStartKey: start,
      }),
    );
    items.push(...Items);
    start = LastEvaluatedKey;
  } while (start !== undefined);
  return items;
}

/** The partition in which an entry of a word is, by its first character (`field-indexes.ts`). */
export const wordPartition = (list: string, word: string): string =>
  `${list}#WORDS#${((word.codePointAt(0) ?? 0) % 16).toString(16)}`;

/** All entries of words of a list, in the order of their keys. */
export async function wordsIn(table: Table, list: string): Promise<Item[]> {
  const partitions = Array.from({ length: 16 }, (_, first) => wordPartition(list, String.fromCodePoint(first)));
  const items = await Promise.all(partitions.map((partition) => itemsIn(table, partition)));
  return items.flat().toSorted((one, other) => (String(one.SK) < String(other.SK) ? -1 : 1));
}

/** Those of some entries that records have. Others count for nothing: their writer has crashed, or is at work (`entries-in-advance.ts`). */
export function ofRecords(entries: readonly Item[], records: readonly { readonly id: string }[]): readonly Item[] {
  const numbers = new Set(records.map(({ id }) => ids.sortKeyOf(ids.numberOf(id))));
  return entries.filter(({ SK }) => numbers.has(String(SK).split('\n')[1] ?? ''));
}

/** The records of a list, in the order of their numbers. */
export const recordsIn = async (table: Table, partition: string): Promise<Item[]> =>
  (await itemsIn(table, partition)).filter((item) => item[schema.TOMBSTONE] === undefined);

/** All numbers in a set. */
export const numbersIn = async (table: Table, set: string): Promise<number[]> => numbersOf(await itemsIn(table, set));

function numbersOf(items: readonly Item[]): number[] {
  return [...NumberSet.ofItems(items).numbers()].sort((one, other) => one - other);
}

/** The values that records may have, by the field that lists them. */
export type Values = Readonly<Record<string, readonly unknown[]>>;

export interface Audit {
  /** Allocated numbers without record and gap; some may already have a tombstone. */
  readonly lost: readonly number[];
  /** Differences between the sets and the records. */
  readonly faults: readonly string[];
}

/** Compares every set of a list with its records. */
export async function auditOf(table: Table, partition: string, values: Values): Promise<Audit> {
  const sets = storedSets.partitionOf(partition);
  const [items, own] = await Promise.all([itemsIn(table, partition), itemsIn(table, sets)]);
  const gaps = numbersOf(own);
  const next = Number(own.find(({ SK }) => SK === COUNTER)?.NEXT ?? 0);
  const records = items.filter((item) => item[schema.TOMBSTONE] === undefined);
  const numbers = new Set(records.map(numberOfItem));
  const lost = Array.from({ length: next }, (_, number) => number).filter(
    (number) => !numbers.has(number) && !gaps.includes(number),
  );
  const perValue = Object.entries(values).flatMap(([field, given]) => given.map((value) => ({ field, value })));
  const wrongSets = await Promise.all(
    perValue.map(async ({ field, value }) => {
      const expected = records.filter((item) => item[field] === value).map(numberOfItem);
      const found = await numbersIn(table, storedSets.partitionOf(partition, field, String(value)));
      return differences(`${field}=${value}`, expected, found);
    }),
  );
  return {
    lost,
    faults: [
      ...gaps.filter((gap) => numbers.has(gap)).map((gap) => `${gap} has a record and a gap`),
      ...gaps.filter((gap) => gap >= next).map((gap) => `${gap} has a gap and was never given`),
      ...wrongSets.flat(),
    ],
  };
}

const numberOfItem = ({ SK: sortKey }: Item): number => ids.numberIn(String(sortKey));

const differences = (set: string, expected: readonly number[], found: readonly number[]): string[] => [
  ...expected.filter((number) => !found.includes(number)).map((number) => `${number} is not in ${set}`),
  ...found.filter((number) => !expected.includes(number)).map((number) => `${number} is in ${set}`),
];
