import type { Item } from '@custodia/counted-lists';
import { type Entity, PLATFORM } from '#table';
import { indexesOf } from '#table/storage';
import type { stageCount } from '#tenancy';

type Count = Parameters<typeof stageCount>[2];

/** The kinds of records of a tenant, and the relations between them. Declared in `operator/kinds.ts`. */

export interface Kind {
  readonly entity: Entity;
  /** The names of the indexes that its records enter. */
  readonly indexes: readonly string[];
  /** Kinds of records below each record of this kind, which counts them. */
  readonly below: readonly Entity[];
  /** By field: the other records that it counts. */
  readonly counters: Readonly<Record<string, readonly Counted[]>>;
  /** Values to verify even if no record has them now, by filter field: texts, and the ids of kinds. */
  readonly values: Readonly<Record<string, readonly (string | Entity)[]>>;
  /** Which records an organization's quota of this kind counts, by attribute. */
  readonly quota: Readonly<Partial<Record<Count, (record: Item) => boolean>>>;
}

/** The records that a counter counts: those whose field `by` refers to the counter's record. */
export interface Counted {
  readonly entity: Entity;
  /** One of the entity's filters. */
  readonly by: string;
  /** Whether a record counts; by default all do. */
  readonly when?: (record: Item) => boolean;
}

type Options = Partial<Omit<Kind, 'entity' | 'indexes'>>;

/** Declares a kind. */
export const kind = (entity: Entity, options: Options = {}): Kind => ({
  entity,
  // A command learns the stage's settings after it has loaded this.
  get indexes() {
    return indexesOf(entity, PLATFORM, '').names;
  },
  below: [],
  counters: {},
  values: {},
  quota: {},
  ...options,
});

/** Declares which records a counter counts. */
export const countedBy = <T extends object>(
  entity: Entity<T>,
  by: keyof T & string,
  when?: (record: T) => boolean,
): Counted => ({
  entity: entity as unknown as Entity,
  by,
  ...(when === undefined ? {} : { when: when as (record: object) => boolean }),
});

/** Declares which records a quota counts. */
export const quotaOf = <T extends object>(
  counts: Readonly<Partial<Record<Count, (record: T) => boolean>>>,
): Kind['quota'] => counts as Kind['quota'];
