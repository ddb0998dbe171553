import type { Item, Key } from '../schema.ts';
import type { Condition } from './conditions.ts';

/** Writes that are staged and not committed yet. */

export type OnConditionFailed = (found: Item | undefined) => Error;

interface Conditional {
  readonly key: Key;
  readonly condition: Condition;
  /** Returns the error for a failed condition. */
  readonly onConditionFailed: OnConditionFailed;
}

export interface PendingPut extends Conditional {
  readonly kind: 'put';
  readonly item: Item;
  /** Whether only this very put can have written an item that was found at its key, also where others have changed that since. */
  readonly isOwn?: ((found: Item) => boolean) | undefined;
}

export interface PendingUpdate extends Conditional {
  readonly kind: 'update';
  readonly set: Readonly<Record<string, unknown>>;
  readonly remove: readonly string[];
  readonly add: Readonly<Record<string, number | bigint>>;
}

export interface PendingDelete extends Conditional {
  readonly kind: 'delete';
}

export type PendingWrite = PendingPut | PendingUpdate | PendingDelete;
