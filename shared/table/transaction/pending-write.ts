import type { Key } from '../keys.ts';
import type { Item } from '../schema.ts';

/** Writes as they wait to be committed. */

/** What must hold of the item for the transaction to happen. Attributes by their names, or an element's of a list: `secrets[0].id`. */
export interface Condition {
  readonly exists?: boolean;
  /** Undefined: the attribute is not there. */
  readonly equals?: Readonly<Record<string, unknown>>;
  /** As `equals`, but an attribute that is not there passes too. */
  readonly equalsOrAbsent?: Readonly<Record<string, unknown>>;
  /** Numbers that are at most this, or not there. */
  readonly atMost?: Readonly<Record<string, number>>;
  /** Numbers that are there and more than this. */
  readonly moreThan?: Readonly<Record<string, number>>;
  /** Lists that hold a value at least of each of these groups; null holds every value. */
  readonly holds?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** With `exists: false`: an item that expired before this time, in epoch seconds, counts as absent (TTL is lazy). */
  readonly expiredBefore?: number;
  /** What must hold besides. */
  readonly and?: readonly Condition[];
  /** Of these one at least must hold besides. */
  readonly anyOf?: readonly Condition[];
}

export type OnConditionFailed = (found: Item | undefined) => Error;

interface Conditional {
  readonly key: Key;
  readonly condition: Condition;
  /** The error when the expectation does not hold. */
  readonly onConditionFailed: OnConditionFailed;
}

export interface PendingPut extends Conditional {
  readonly kind: 'put';
  readonly item: Item;
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
