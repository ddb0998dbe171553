import type { Item } from './schema.ts';

/** When a record was deleted, in epoch milliseconds. Is in the tombstone of one that can be restored. */
export const TRASHED = 'TRASHED';

/** Whether an item is the tombstone of a record that can be restored. Its bit is set in its transaction. */
export const isTrashed = (item: Item | undefined): item is Item => item?.[TRASHED] !== undefined;
