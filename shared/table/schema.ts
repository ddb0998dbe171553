/**
 * The one table of the service: what its keys and indexes are called and of what type.
 * The stack, the embedded DynamoDB and the storage code all read this; `docs/data-model.md` says what lies under the keys.
 * The service's own attributes are in capitals, a record's fields in lower case: neither can meet the other.
 */

/** Number of list indexes. A record stands in at most this many filter lists (a resource in eleven, see `docs/data-model.md`). */
export const LIST_INDEXES = 11;

export const KEYS = { partition: 'PK', sort: 'SK' } as const;

/** Epoch seconds after which DynamoDB may delete the item; readers treat it as gone from that second on. */
export const TTL_ATTRIBUTE = 'TTL';

/** Names the attempt that put an item alone, so that it knows its own write again when the reply was lost. */
export const WRITE_ID = 'WRITE_ID';

export interface ListIndex {
  readonly name: string;
  /** String attribute: the partition key of the list. */
  readonly partition: string;
  /** Number attribute: the record's number in that list. */
  readonly sort: string;
}

/** The index that holds the `slot`-th filter list of a record, counted from 1. */
export const listIndex = (slot: number): ListIndex => ({
  name: `list${slot}`,
  partition: `L${slot}`,
  sort: `N${slot}`,
});

export const listIndexes: readonly ListIndex[] = Array.from({ length: LIST_INDEXES }, (_, index) =>
  listIndex(index + 1),
);
