import { bitPlace } from './bits.ts';
import { type Key, TTL } from './schema.ts';
import type { UnitOfWork } from './transaction/unit-of-work.ts';

/**
 * The sets of a list as they are stored: their partitions, when their items expire, and the writes by which a number
 * enters or leaves one. `ADD` is safe here, because a transaction is applied exactly once.
 */

/**
 * Partition of a set of numbers: a list's counter item and its gaps are in `ORG#<tenant>#TICKET#SET`, the numbers of
 * the records with a filter's value in `ORG#<tenant>#TICKET#status=open#SET`.
 */
export const partitionOf = (list: string, field?: string, value?: string): string =>
  field === undefined ? `${list}#SET` : `${list}#${field}=${encodeURIComponent(value ?? '')}#SET`;

/** Stages a gap at a number. @param expires when the record expires, in epoch seconds: no bit is needed afterwards */
export const stageGap = (work: UnitOfWork, list: string, number: number, expires: number | undefined): void =>
  stageBit(work, { PK: partitionOf(list), SK: bitPlace(number).sortKey }, { number, expires }, 1n);

/** Stages that a number enters or leaves a set, or the gaps. @param key of the item with its bit */
export function stageBit(
  work: UnitOfWork,
  key: Key,
  { number, expires }: { readonly number: number; readonly expires: number | undefined },
  sign: 1n | -1n,
): void {
  const { word, bit } = bitPlace(number);
  const ttl = expires === undefined ? {} : { set: { [TTL]: expiryAfter(expires) } };
  work.update(key, { add: { [word]: sign * bit }, ...ttl });
}

/** How much longer items are kept than the record of their last writer, which need not be the last one. In seconds. */
const LONGER = 35 * 86_400;

/** Expiry of an item of a set whose latest record expires at `expires`, both in epoch seconds. */
export const expiryAfter = (expires: number): number => expires + LONGER;
