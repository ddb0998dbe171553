/**
 * Keys and internal attributes of the table's items, for the stack, the embedded DynamoDB and the storage code
 * (`docs/data-model.md`). Internal attributes are in capitals, fields of records in lower case: they never collide.
 */

/** An item of the table, by attribute. */
export type Item = Readonly<Record<string, unknown>>;

export interface Key {
  readonly PK: string;
  readonly SK: string;
}

/** A key as one text. */
export const nameOf = ({ PK, SK }: Key): string => `${PK}\n${SK}`;

/** The key of an item. */
export const keyIn = ({ PK, SK }: Item): Key => ({ PK: String(PK), SK: String(SK) });

export const KEYS = { partition: 'PK', sort: 'SK' } as const;

/** Epoch seconds after which DynamoDB may delete the item; readers treat it as expired from that second on. */
export const TTL = 'TTL';

/** Id of the commit that wrote the item, which recognizes its own write by it when the reply was lost. */
export const WRITE_ID = 'WRITE_ID';

/** Version of a record: raised by one with each change of its own fields. */
export const VERSION = 'VERSION';

/** When a list's last number was allocated, in its counter item; when a tombstone was put. Epoch milliseconds. */
export const AT = 'AT';

/** Is in the tombstone of a closed number, which never gets a record (`fence.ts`). */
export const TOMBSTONE = 'TOMBSTONE';

/** Whether there is an item, and it is not a tombstone. */
export const isRecord = (item: Item | undefined): item is Item => item !== undefined && item[TOMBSTONE] === undefined;

/** How long a tombstone of a day lasts at least, in seconds: longer than any attempt to write is under way. */
const TOMBSTONE_SECONDS = 86_400;

/** The attributes of a tombstone of a day. `now` in epoch milliseconds. */
export const tombstoneOfDay = (now: number): Item => ({
  [TOMBSTONE]: true,
  [TTL]: Math.floor(now / 1000) + TOMBSTONE_SECONDS,
});
