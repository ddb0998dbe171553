import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, type Key, schema, type Table } from '@custodia/counted-lists';
import { itemSizeOf } from '@custodia/counted-lists/maintenance';
import type { Call } from '../data-model/recorder.ts';

/** What recorded calls take of each partition key. */

export interface Units {
  read: number;
  write: number;
}

/** What a request takes. */
export interface Footprint {
  /** By partition key. */
  readonly partitions: ReadonlyMap<string, Readonly<Units>>;
  /** The items that are in transactions. */
  readonly inTransactions: readonly Key[];
}

/**
 * DynamoDB reports the units of a transaction as one sum, so its items are read afterwards, for their sizes.
 * @throws Error when the items do not take the units that were reported
 */
export async function footprintOf(calls: readonly Call[], table: Table): Promise<Footprint> {
  const partitions = new Map<string, Units>();
  const inTransactions: Key[] = [];
  const add = (partition: string, read: number, write: number): void => {
    const units = partitions.get(partition) ?? { read: 0, write: 0 };
    partitions.set(partition, { read: units.read + read, write: units.write + write });
  };
  for (const call of calls) {
    if (call.operation === 'BatchWriteItem') {
      for (const { key, units } of batchUnits(call)) add(key.PK, 0, units);
      continue;
    }
    if (call.operation !== 'TransactWriteItems') {
      add(onlyPartitionOf(call), call.readUnits, call.writeUnits);
      continue;
    }
    for (const { key, units } of await transactionUnits(call, table)) {
      inTransactions.push(key);
      add(key.PK, 0, units);
    }
  }
  return { partitions, inTransactions };
}

/** @throws Error for a call of several partitions, which is none of ours but a transaction */
function onlyPartitionOf({ operation, input }: Call): string {
  const found = new Set(partitionsIn(operation, input));
  const [partition, ...others] = found;
  if (partition === undefined || others.length > 0)
    throw new Error(`${operation} is not of one partition: ${[...found]}`);
  return partition;
}

function partitionsIn(operation: string, input: Call['input']): string[] {
  if (operation === 'Query') {
    const { KeyConditionExpression: condition, ExpressionAttributeValues: values } = input as unknown as {
      readonly KeyConditionExpression: string;
      readonly ExpressionAttributeValues: Item;
    };
    return [String(values[/= (:\w+)/.exec(condition)?.[1] ?? ''])];
  }
  if (operation === 'BatchGetItem')
    return Object.values(input.RequestItems as Gets).flatMap(({ Keys }) => Keys.map(({ PK }) => PK));
  return [keyIn(input).PK];
}

type Gets = Readonly<Record<string, { readonly Keys: readonly Key[] }>>;
type BatchWrite = Readonly<Record<string, Write>>;

/** A write of one item. */
interface Write {
  readonly Key?: Key;
  readonly Item?: Item;
}

const keyIn = ({ Key: key, Item: item }: Write): Key => {
  const { PK, SK } = key ?? (item as unknown as Key);
  return { PK, SK };
};

interface KeyUnits {
  readonly key: Key;
  readonly units: number;
}

/** @throws Error when the items do not take the units that were reported */
function batchUnits({ input, writeUnits }: Call): KeyUnits[] {
  const writes = Object.values(input.RequestItems as Readonly<Record<string, readonly BatchWrite[]>>).flat();
  const counted = writes
    .flatMap((one) => Object.values(one))
    .map((write) => ({
      key: keyIn(write),
      units: unitsOf(write.Item === undefined ? 0 : itemSizeOf(write.Item)),
    }));
  checkSum('a batch', counted, writeUnits);
  return counted;
}

const unitsOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1_024));

function checkSum(name: string, counted: readonly KeyUnits[], reported: number): void {
  const sum = counted.reduce((total, { units }) => total + units, 0);
  if (sum !== reported) throw new Error(`${name} took ${reported} units, and its items ${sum}`);
}

async function transactionUnits({ input, writeUnits }: Call, table: Table): Promise<KeyUnits[]> {
  const keys = (input.TransactItems as readonly BatchWrite[]).flatMap((one) => Object.values(one).map(keyIn));
  const sizes = await sizesOf(keys, table);
  const counted = keys.map((key) => ({
    key,
    units: 2 * unitsOf(sizes.get(schema.nameOf(key)) ?? 0),
  }));
  checkSum('a transaction', counted, writeUnits);
  return counted;
}

/** Sizes in bytes of the items that there are. A transaction of ours has at most 100 items, and so may a batch. */
async function sizesOf(keys: readonly Key[], { client, name }: Table): Promise<ReadonlyMap<string, number>> {
  const { Responses: found = {} } = await client.send(
    new BatchGetCommand({ RequestItems: { [name]: { Keys: keys.map((key) => ({ ...key })) } } }),
  );
  return new Map((found[name] ?? []).map((item) => [schema.nameOf(schema.keyIn(item)), itemSizeOf(item)]));
}

/** The partition keys that both requests use, with what each takes on average. */
export function sharedPartitions(one: Footprint, other: Footprint): ReadonlyMap<string, Readonly<Units>> {
  const shared = new Map<string, Units>();
  for (const [partition, { read, write }] of one.partitions) {
    const also = other.partitions.get(partition);
    if (also !== undefined) shared.set(partition, { read: (read + also.read) / 2, write: (write + also.write) / 2 });
  }
  return shared;
}

/** The items that are in transactions of both. */
export function sharedItems(one: Footprint, other: Footprint): readonly Key[] {
  const names = new Set(other.inTransactions.map(schema.nameOf));
  return one.inTransactions.filter((key) => names.has(schema.nameOf(key)));
}
