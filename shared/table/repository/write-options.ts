import type { Item, UnitOfWork } from '@custodia/counted-lists';

/** How records are created, changed and deleted. */

/** The place of a new record in its list. */
interface NewRecordPlace {
  readonly id: string;
  /** Counted from 1. */
  readonly ordinal: number;
  /** How often a generated value of this request was taken: the operation runs again and must generate another. */
  readonly collisions: number;
}

/** A record that is created: `L` are the fields that depend on its id or place. */
export interface NewRecord<T, L extends keyof T = never> {
  readonly fields: Omit<T, 'id' | L>;
  /** An id that was made before, for a record that its time of creation numbers. Other requests may have it, too. */
  readonly id?: string;
  /** Returns the deferred fields. */
  readonly deferred?: (place: NewRecordPlace) => Pick<T, L> | Promise<Pick<T, L>>;
  /**
   * Those of the deferred fields whose values were generated: if such a value must be unique and is taken, the
   * operation is run again and not refused.
   */
  readonly generated?: readonly L[];
  /** Names for the audit event, besides the fields that have a value. */
  readonly alsoAudited?: readonly string[];
  /** In an ordered list: whether its number may be of an earlier time than its creation. */
  readonly mayBeEarly?: boolean;
}

export interface UpdateOptions<T> {
  /** Names for the audit event, besides the changed fields. */
  readonly alsoAudited?: readonly string[];
  /** The time of an order, which moves forward with the change, even where others move it at the same time. */
  readonly moves?: keyof T & string;
  /** What its event says: `moved`, or `deleted` of a record that only says from now on that it was. */
  readonly verb?: 'deleted' | 'moved';
}

export interface DeletionOptions {
  /** Stages what is deleted with the record as found. @returns conditions on its attributes for that */
  readonly along?: (work: UnitOfWork, found: Item) => Item;
  /** A further condition, such as a counter that is 0, and the error where it is not met. */
  readonly requires?: { readonly equals: Item; readonly onConditionFailed: (found: Item) => Error };
}
