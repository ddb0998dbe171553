import type { Key } from './keys.ts';

/** Writes as they wait to be committed. */

export type Item = Readonly<Record<string, unknown>>;

/** What must hold of the item for the transaction to happen. Attributes by their names, or an element's of a list: `secrets[0].id`. */
export interface Expectation {
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
  readonly and?: readonly Expectation[];
  /** Of these one at least must hold besides. */
  readonly anyOf?: readonly Expectation[];
}

export type Refusal = (found: Item | undefined) => Error;

interface Staged {
  readonly key: Key;
  readonly expect: Expectation;
  /** The error when the expectation does not hold. */
  readonly refuse: Refusal;
}

export interface StagedPut extends Staged {
  readonly kind: 'put';
  readonly item: Item;
}

export interface StagedUpdate extends Staged {
  readonly kind: 'update';
  readonly set: Readonly<Record<string, unknown>>;
  readonly remove: readonly string[];
  readonly add: Readonly<Record<string, number | bigint>>;
}

export interface StagedDelete extends Staged {
  readonly kind: 'delete';
}

export type StagedWrite = StagedPut | StagedUpdate | StagedDelete;
