import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { readPartition, retry, type Table } from '@custodia/counted-lists';
import type { TenantId } from '#table';
import { concurrently } from '#verify';
import type { Clock } from '../../../shared/clock.ts';
import { partitionsOf } from '../erase/partitions.ts';
import { type Change, differences } from './differences.ts';
import { type Restorable, treatmentOf } from './partitions.ts';

export interface RestoreOptions extends Restorable {
  readonly clock: Clock;
  readonly version: number;
  /** False: only reports what it would write. */
  readonly writes: boolean;
  /** Partitions of child items of records, including records that an earlier pass has deleted. The pass adds to it. */
  readonly found: Set<string>;
  readonly onChange: (partition: string, change: Change) => void;
}

/** Items that are written in parallel. */
const AT_ONCE = 25;
/** Longest time for one request, in milliseconds. */
const TIMEOUT_MS = 10_000;

/** The context of a pass. */
export interface Pass extends RestoreOptions {
  readonly tenant: TenantId;
  readonly table: Table;
  readonly copy: Table;
}

/** One pass of `TableCopy.restore`. @returns how many items differed */
export async function restore(pass: Pass): Promise<number> {
  let sum = 0;
  for (const partitions of await restoredPartitions(pass)) {
    const counts = await concurrently(partitions, async (partition) => [await restorePartition(partition, pass)]);
    sum += counts.reduce((one, other) => one + other, 0);
  }
  return sum;
}

/**
 * Partitions that are named by records of the copy, and by current records, which will be deleted. Records come last,
 * so that a run after an interruption finds the child items of records to delete.
 */
async function restoredPartitions(options: Pass): Promise<readonly (readonly string[])[]> {
  const { tenant, table, copy, clock, kinds, integrations } = options;
  const named = await Promise.all(
    [table, copy].map((each) =>
      partitionsOf({ table: each, clock }, tenant, [...kinds, integrations], integrations.entity),
    ),
  );
  const restored = (partitions: readonly string[]): string[] =>
    [...new Set(partitions)].filter((partition) => treatmentOf(partition, tenant, options) !== false);
  for (const partition of named.flatMap(({ derived, notes }) => [...derived, ...notes])) options.found.add(partition);
  return [restored([...options.found]), restored(named.flatMap(({ records }) => records))];
}

async function restorePartition(partition: string, options: Pass): Promise<number> {
  const { tenant, table, copy, clock, version, writes, onChange } = options;
  const read = (from: Table) => readPartition({ table: from, clock }, partition);
  const rules = {
    now: Math.floor(clock() / 1000),
    version,
    isAddedTo: treatmentOf(partition, tenant, options) === 'added-to',
  };
  let count = 0;
  let waiting: Change[] = [];
  const flush = async (): Promise<void> => {
    if (writes) await Promise.all(waiting.map((change) => write(change, options)));
    for (const change of waiting) onChange(partition, change);
    waiting = [];
  };
  for await (const change of differences(read(copy), read(table), rules)) {
    count += 1;
    if (waiting.push(change) === AT_ONCE) await flush();
  }
  await flush();
  return count;
}

function write(change: Change, { table: { client, name }, clock }: Pass): Promise<unknown> {
  const { PK, SK } = change.kind === 'put' ? change.item : change.before;
  return retry(
    () =>
      change.kind === 'put'
        ? client.send(new PutCommand({ TableName: name, Item: { ...change.item } }))
        : client.send(new DeleteCommand({ TableName: name, Key: { PK, SK } })),
    { clock, deadline: clock() + TIMEOUT_MS },
  );
}
