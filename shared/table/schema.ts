/**
 * The one table of the service: what its keys are called.
 * The stack, the embedded DynamoDB and the storage code all read this; `docs/data-model.md` says what lies under the keys.
 * The service's own attributes are in capitals, a record's fields in lower case: neither can meet the other.
 */

/** An item of the table, by attribute. */
export type Item = Readonly<Record<string, unknown>>;

export const KEYS = { partition: 'PK', sort: 'SK' } as const;

/** Epoch seconds after which DynamoDB may delete the item; readers treat it as gone from that second on. */
export const TTL_ATTRIBUTE = 'TTL';

/** Names the attempt that put an item alone, so that it knows its own write again when the reply was lost. */
export const WRITE_ID = 'WRITE_ID';

/** Of a record: raised by one with each change of its own fields. */
export const VERSION = 'VERSION';

/** Of a record: how often other records have moved its counters. */
export const MOVES = 'MOVES';
