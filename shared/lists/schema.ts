/**
 * The names of keys and common attributes of the table, for the stack, the embedded DynamoDB and the storage code. `docs/data-model.md`
 * describes the items. Internal attributes are in capitals and fields of records in lower case, so that they never collide.
 */

/** An item of the table, by attribute. */
export type Item = Readonly<Record<string, unknown>>;

export const KEYS = { partition: 'PK', sort: 'SK' } as const;

/** Epoch seconds after which DynamoDB may delete the item; readers treat it as expired from that second on. */
export const TTL_ATTRIBUTE = 'TTL';

/** Id of the commit that wrote the item, which recognizes its own write by it when the reply was lost. */
export const WRITE_ID = 'WRITE_ID';

/** Version of a record: raised by one with each change of its own fields. */
export const VERSION = 'VERSION';
