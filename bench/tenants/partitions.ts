import { createHash } from 'node:crypto';
import { AWS_QUOTAS } from '../../generate/ceilings/ceilings.ts';
import { ASSUMED } from '../cost/assumptions.ts';
import type { Operation } from './operations.ts';

/**
 * Partition keys of all tenants share partitions by their hash. A partition holds 10 GB, and there are as few as the
 * records of so many tenants need. It has a second's units at most; what DynamoDB lends beyond that, and that it moves
 * busy keys apart after some minutes, it does not promise.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.Partitions.html
 */
const PARTITION_BYTES = 10 * 2 ** 30;

/** A table for so many tenants, as the page on costs assumes them. */
export const partitionsFor = (tenants: number): number =>
  Math.ceil((tenants * ASSUMED.recordsPerTenant * ASSUMED.recordBytes) / PARTITION_BYTES);

interface Partition {
  write: number;
  read: number;
  /** The time of these units, in milliseconds. */
  at: number;
}

type Needed = readonly { readonly partition: number; readonly read: number; readonly write: number }[];

export class Partitions {
  readonly #partitions: readonly Partition[];
  /** What operations need, by tenant. */
  readonly #needed = new Map<string, Needed>();

  constructor(count: number) {
    const { writeUnits: write, readUnits: read } = AWS_QUOTAS;
    this.#partitions = Array.from({ length: count }, () => ({ write, read, at: 0 }));
  }

  /** Takes the units of a tenant's request, all or none. @returns whether there were enough */
  take(operation: Operation, tenant: string, now: number): boolean {
    const name = `${tenant}\n${operation.title}`;
    const needed = this.#needed.get(name) ?? neededBy(operation, tenant, this.#partitions.length);
    this.#needed.set(name, needed);
    for (const partition of this.#partitions) refill(partition, now);
    const hasRoom = needed.every(({ partition, read, write }) => {
      const { read: readable, write: writable } = this.#partitions[partition] as Partition;
      return readable >= read && writable >= write;
    });
    if (!hasRoom) return false;
    for (const { partition, read, write } of needed) {
      const one = this.#partitions[partition] as Partition;
      one.read -= read;
      one.write -= write;
    }
    return true;
  }
}

function refill(partition: Partition, now: number): void {
  const seconds = (now - partition.at) / 1_000;
  partition.write = Math.min(AWS_QUOTAS.writeUnits, partition.write + seconds * AWS_QUOTAS.writeUnits);
  partition.read = Math.min(AWS_QUOTAS.readUnits, partition.read + seconds * AWS_QUOTAS.readUnits);
  partition.at = now;
}

/** What a recorded operation needs of each partition when another tenant sends it. */
function neededBy({ partitions }: Operation, tenant: string, count: number): Needed {
  const needed = Array.from({ length: count }, (_, partition) => ({ partition, read: 0, write: 0 }));
  for (const [key, { read, write }] of partitions) {
    const one = needed[hashOf(key.replace(TENANT, `$1${tenant}`)) % count];
    if (one === undefined) continue;
    one.read += read;
    one.write += write;
  }
  return needed.filter(({ read, write }) => read + write > 0);
}

/** The tenant in a partition key. */
const TENANT = /^(ORG#|SUSPENDED#)[^#]+/;

const hashOf = (key: string): number => createHash('sha1').update(key).digest().readUInt32LE(0);
