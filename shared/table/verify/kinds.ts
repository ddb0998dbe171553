import type { AnyEntity, Entity } from '../repository/entity.ts';
import type { Item } from '../schema.ts';

/** What a tenant's data is made of, as far as one record tells of others. Declared in `operator/kinds.ts`. */

export interface Kind {
  readonly entity: AnyEntity;
  /** Kinds of records that lie below each record of this kind, which counts them. */
  readonly below: readonly AnyEntity[];
  /** By field: which other records it counts. */
  readonly counters: Readonly<Record<string, readonly Counted[]>>;
  /** By filter field: values that a list can be asked for though no record has them now, as texts or as the ids of a kind. */
  readonly values: Readonly<Record<string, readonly string[] | AnyEntity>>;
}

/** Records that a counter counts: those whose field `by` names the counter's record. */
export interface Counted {
  readonly entity: AnyEntity;
  /** One of the entity's filters. */
  readonly by: string;
  /** Whether a record counts; without it every one does. */
  readonly when?: (record: Item) => boolean;
}

type Options = Partial<Omit<Kind, 'entity'>>;

/** Declares a kind. */
export const kind = (entity: AnyEntity, options: Options = {}): Kind => ({
  entity,
  below: [],
  counters: {},
  values: {},
  ...options,
});

/** Declares which records a counter counts. */
export const counted = <T extends object>(
  entity: Entity<T>,
  by: keyof T & string,
  when?: (record: T) => boolean,
): Counted => ({
  entity: entity as unknown as AnyEntity,
  by,
  ...(when === undefined ? {} : { when: when as (record: object) => boolean }),
});
