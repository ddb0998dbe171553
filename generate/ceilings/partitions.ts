import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { type Key, schema, type Table } from '@custodia/counted-lists';
import { itemSizeOf } from '../../test/support/item-size.ts';
import type { Call } from '../data-model/recorder.ts';
import { type Touched, touchedBy } from '../data-model/touched.ts';

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
  for (const call of calls) {
    const touched = touchedBy(call);
    if (call.operation === 'TransactWriteItems') inTransactions.push(...touched.map(({ key }) => key));
    for (const [partition, { read, write }] of await unitsOf(call, touched, table)) {
      const units = partitions.get(partition) ?? { read: 0, write: 0 };
      partitions.set(partition, { read: units.read + read, write: units.write + write });
    }
  }
  return { partitions, inTransactions };
}

type PartitionUnits = readonly (readonly [partition: string, Units])[];

/** @throws Error for reads of several partitions, which are none of ours */
async function unitsOf(call: Call, touched: readonly Touched[], table: Table): Promise<PartitionUnits> {
  const { operation, readUnits: read, writeUnits: write } = call;
  if (operation === 'TransactWriteItems') {
    const sizes = await sizesOf(touched, table);
    return writtenUnits(call, touched, ({ key }) => 2 * unitsFor(sizes.get(schema.nameOf(key)) ?? 0));
  }
  if (operation === 'BatchWriteItem')
    return writtenUnits(call, touched, ({ item }) => unitsFor(item === undefined ? 0 : itemSizeOf(item)));
  const [partition, ...others] = new Set(touched.map(({ key }) => key.PK));
  if (partition === undefined || others.length > 0) throw new Error(`${operation} is not of one partition`);
  return [[partition, { read, write }]];
}

const unitsFor = (bytes: number): number => Math.max(1, Math.ceil(bytes / 1_024));

/** @throws Error when the items do not take the units that were reported */
function writtenUnits(
  { operation, writeUnits }: Call,
  touched: readonly Touched[],
  unitsOfItem: (one: Touched) => number,
): PartitionUnits {
  const counted = touched.map((one) => [one.key.PK, { read: 0, write: unitsOfItem(one) }] as const);
  const sum = counted.reduce((total, [, { write }]) => total + write, 0);
  if (sum !== writeUnits) throw new Error(`${operation} took ${writeUnits} units, and its items ${sum}`);
  return counted;
}

/** Sizes in bytes of the items that there are. A transaction of ours has at most 100 items, and so may a batch. */
async function sizesOf(touched: readonly Touched[], { client, name }: Table): Promise<ReadonlyMap<string, number>> {
  const Keys = touched.map(({ key }) => ({ ...key }));
  const { Responses: found = {} } = await client.send(new BatchGetCommand({ RequestItems: { [name]: { Keys } } }));
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
