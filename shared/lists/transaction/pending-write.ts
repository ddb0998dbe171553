import type { Key } from '../keys.ts';
import type { Item } from '../schema.ts';

/** Writes that are staged and not committed yet. */

/** A condition on an item. Attributes are named, or a member of an element of a list: `secrets[0].id`. */
export interface Condition {
  readonly exists?: boolean;
  /** Undefined: the attribute is absent. */
  readonly equals?: Readonly<Record<string, unknown>>;
  /** Like `equals`, but the attribute may be absent. */
  readonly equalsOrAbsent?: Readonly<Record<string, unknown>>;
  /** Numbers that are at most this, or absent. */
  readonly atMost?: Readonly<Record<string, number>>;
  /** Numbers that are present and more than this. */
  readonly moreThan?: Readonly<Record<string, number>>;
  /** Lists that contain at least one value of each of these groups; null contains every value. */
  readonly holds?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** With `exists: false`: an item that expired before this time, in epoch seconds, counts as absent (TTL is lazy). */
  readonly expiredBefore?: number;
  /** Further conditions. */
  readonly and?: readonly Condition[];
  /** At least one of these must hold too. */
  readonly anyOf?: readonly Condition[];
}

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
