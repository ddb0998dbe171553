import { bitPlace } from './bits.ts';
import { type Item, TTL } from './schema.ts';
import { stageIndexed, stageUnindexed } from './text-index.ts';
import type { UnitOfWork } from './transaction/unit-of-work.ts';

/**
 * The sets of a list as they are stored: their partitions, when their items expire, and the writes by which a number enters or leaves one. `ADD` is
 * safe here, because a transaction is applied exactly once.
 */

/**
 * Partition of a set of numbers: a list's counter item and its gaps are in `ORG#<tenant>#TICKET#SET`, the numbers of the records with a filter's
 * value in `ORG#<tenant>#TICKET#status=open#SET`.
 */
export const partitionOf = (list: string, field?: string, value?: string): string =>
  field === undefined ? `${list}#SET` : `${list}#${field}=${encodeURIComponent(value ?? '')}#SET`;

interface ListedNumber {
  /** Partition of the list's records. */
  readonly partition: string;
  readonly number: number;
  /** Expiry of the record in epoch seconds, where it expires: its bit is not needed after that. */
  readonly expires?: number | undefined;
}

/** An index of a record: the sets of a filter field, or entries of its texts (`text-index.ts`). */
type ListedBy = { readonly filter: string } | EntriesOf;

interface EntriesOf {
  readonly entries: string;
  /** What an entry says of its record, besides its key. */
  readonly attributes?: Item;
  /** Whether that is other than before: then the entries of texts that the record keeps are written again. */
  readonly isChanged?: boolean;
}

/** Stages that a record leaves the sets or entries of these texts and enters those of others. Nothing is staged where it has a text before and after. */
export function stageMove(
  work: UnitOfWork,
  listed: ListedNumber & { readonly by: ListedBy },
  left: readonly string[],
  entered: readonly string[],
): void {
  for (const text of left) if (!entered.includes(text)) stageText(work, listed, text, -1);
  const isChanged = 'entries' in listed.by && listed.by.isChanged === true;
  for (const text of entered) if (isChanged || !left.includes(text)) stageText(work, listed, text, 1);
}

/** @param sign whether the record enters or leaves */
function stageText(
  work: UnitOfWork,
  listed: ListedNumber & { readonly by: ListedBy },
  text: string,
  sign: 1 | -1,
): void {
  const { by, partition, number } = listed;
  if ('filter' in by) stage(work, partitionOf(partition, by.filter, text), listed, sign === 1 ? 1n : -1n);
  else {
    const { entries: index, attributes } = by;
    (sign === 1 ? stageIndexed : stageUnindexed)(work, { partition, index, text, number, attributes });
  }
}

/** Stages that a number has no record any more. */
export const stageGap = (work: UnitOfWork, listed: ListedNumber): void =>
  stage(work, partitionOf(listed.partition), listed, 1n);

function stage(work: UnitOfWork, set: string, { number, expires }: ListedNumber, sign: 1n | -1n): void {
  const { sortKey, word, bit } = bitPlace(number);
  const ttl = expires === undefined ? {} : { set: { [TTL]: expiryAfter(expires) } };
  work.update({ PK: set, SK: sortKey }, { add: { [word]: sign * bit }, ...ttl });
}

/** Items are kept longer than their last record, because the last writer may be that of an earlier record. In seconds. */
const LONGER = 35 * 86_400;

/** Expiry of an item of a set whose latest record expires at `expires`, both in epoch seconds. */
export const expiryAfter = (expires: number): number => expires + LONGER;
