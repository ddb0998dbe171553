import { type flagsAt, type Item, indexes as kinds, type OnConditionFailed } from '@custodia/counted-lists';
import * as z from 'zod';
import { declaredValues, uniqueFieldsOf } from '#contract';
import { parseJson } from '#json';
import { lazily } from '../../memory.ts';
import { isFound, wantedWords, wordsOf } from '../../words.ts';
import { type TenantId, uniqueKey } from '../keys.ts';
import type { Journaled, Verb } from './journaled.ts';

/** How the records of one kind are stored. Declared in the `store.ts` of their domain. */
export interface Entity<T extends object = Record<string, unknown>> {
  /** Part of every key: `TICKET`. */
  readonly name: string;
  /** The record of the contract, where there is one. */
  readonly record?: Declared;
  /**
   * Filters and orders of its lists at any size. An index that is added later must be built by the operator
   * where there are records (`docs/counted-lists.md`).
   */
  readonly indexes: readonly DeclaredIndex[];
  /** Records that count these, by the field with the reference (`derived-fields.ts`). */
  readonly counted: Readonly<Record<string, CountedBy<never> | undefined>>;
  /** Records that have the latest time of these, by the field with the reference. */
  readonly latest: Readonly<Record<string, LatestOf | undefined>>;
  /** Free-form JSON, stored as text: DynamoDB's maps cannot hold `1e300` or sixty levels (`docs/decisions/0005`). */
  readonly json: readonly Field<T>[];
  /** JSON that is stored as ciphertext. Its decrypted size can only be estimated (`records.ts`). */
  readonly encrypted: readonly Field<T>[];
  /** Fields of the contract's record that are not stored with it, and that only its own routes show. */
  readonly elsewhere?: readonly string[];
  /** Unique fields, each with its normalization; for a record of a contract, its `unique` fields. */
  readonly unique: { readonly [field in Field<T>]?: (value: string) => string };
  /**
   * The field with the time of a record's creation, by the service's clock. From it readers know whether the grace
   * period of the writer of an earlier number is over. By default `created_at`.
   */
  readonly createdAt: string;
  /** Days after which a record expires, at the end of the last one. */
  readonly retentionDays?: number;
  /**
   * A record's number is the time of its creation and not allocated by the list's counter item: for records that are
   * read in order and not counted, such as the messages of a ticket. Saves a write.
   */
  readonly byTime?: true;
  /** The only record of its kind in its tenant, under a given id. It is in no list. */
  readonly single?: true;
  /** The parent numbers them from 1, instead of UUIDs (spec §2, resource history). They are never deleted singly. */
  readonly numbered?: true;
  /** The kind of the parent, which counts its child records, as a ticket counts its messages. */
  readonly parent?: Entity;
  /** Its deleted records can be restored (`trash.ts`): by what people know one, and the kinds below one. */
  readonly restorable?: { readonly title: Field<T>; readonly below?: () => readonly Pick<Entity, 'name'>[] };
  /** Name of the records in audit events. With it, every creation and change leaves an event (`audit-events.ts`). */
  readonly audited?: string;
  /** Only creations and changes of these fields leave an event, which names no other fields. */
  readonly auditedFields?: readonly Field<T>[];
  /** The field with the client of a record, for requests that see some clients only (`client-repository.ts`). */
  readonly ofClient?: 'id' | 'client_id' | null;
  /** A flag of records that only the organization's own people see. */
  readonly internal?: Field<T>;
  /** Flags of the moment, which are not stored, by name. */
  readonly momentary?: Parameters<typeof flagsAt>[1];
  /** Which of its records' changes leave an event in the journal (`journal.ts`). */
  readonly journaled?: Journaled<never>;
  /** As in {@link List}, for the journal. */
  readonly ordered?: true;
}

/** A record counts those that refer to it, in the transaction of each. This also checks the reference. */
export interface CountedBy<T> {
  /** The kind of the record that counts. */
  readonly by: Entity;
  /** By field of that record: which of those that refer to it are counted, or all. */
  readonly counts: Readonly<Record<string, 'all' | ((record: T) => boolean)>>;
  /** What it must be for a record to refer to it, besides that it exists. */
  readonly equals?: (record: T) => Readonly<Record<string, unknown>>;
  /** Returns the error of a reference to a record that is missing, or is not so. */
  readonly onMissing: OnConditionFailed;
}

/** A field with the latest time of the records that refer to this one. It moves after the commit, best effort. */
export interface LatestOf {
  readonly of: Entity;
  /** The field that has the latest time. */
  readonly field: string;
  /** The time of those that refer to it. */
  readonly time: string;
  /** The kind of records below those, which have a time of the same name. */
  readonly below: () => Entity;
}

type Field<T> = keyof T & string;

/** A record as a contract declares it. `T` is the shape in which it is stored. */
interface Declared<T = unknown> {
  readonly name: string;
  readonly schema: z.ZodType<T>;
  fieldOf(name: string): z.ZodType | undefined;
}

/** A record of a contract that is stored in another shape than it is returned in. */
export const storedAs = <T extends object>(record: Declared): Declared<T> => record as Declared<T>;

type Options<T extends object> = Partial<
  Omit<Entity<T>, 'name' | 'record' | 'indexes' | 'counted' | 'latest' | 'journaled'>
> &
  ByField<T>;

/** The parts of an entity that are declared by field. */
interface ByField<T> {
  readonly indexes?: readonly DeclaredIndex<Field<T>>[];
  readonly counted?: { readonly [field in Field<T>]?: CountedBy<T> };
  readonly latest?: { readonly [field in Field<T>]?: LatestOf };
  readonly journaled?: Journaled<T, Field<T>>;
}

/** @example entity('TICKET', ticket, { indexes: [set('status')], json: ['custom_fields'] }) */
export function entity<T extends object>(
  name: string,
  record: Declared<T>,
  options?: Omit<Options<T>, 'unique'>,
): Entity<T>;
/** Declares the entity of records without a contract: those of the storage code itself. */
export function entity<T extends object>(name: string, options?: Options<T>): Entity<T>;
export function entity<T extends object>(
  name: string,
  recordOrOptions: Declared<T> | Options<T> = {},
  options: Options<T> = {},
): Entity<T> {
  const record = 'schema' in recordOrOptions ? recordOrOptions : undefined;
  const given: Partial<Entity<T>> = 'schema' in recordOrOptions ? options : recordOrOptions;
  const unique = lazily(() => given.unique ?? (record === undefined ? ({} as Entity<T>['unique']) : uniqueIn(record)));
  return {
    name,
    indexes: [],
    counted: {},
    latest: {},
    json: [],
    encrypted: [],
    createdAt: 'created_at',
    ...(record === undefined ? {} : { record }),
    ...given,
    get unique() {
      return unique();
    },
  };
}

/** The fields that the contract declares as unique in a tenant. */
function uniqueIn<T extends object>({ schema }: Declared<T>): Entity<T>['unique'] {
  const fields = schema instanceof z.ZodObject ? [...uniqueFieldsOf(schema)] : [];
  const inTenant = fields.filter(([, { within }]) => within === 'tenant');
  return Object.fromEntries(inTenant.map(([field, { normalize }]) => [field, normalize])) as Entity<T>['unique'];
}

/** A record's fields as the attributes of an item. A new one has none for unique fields that are null, as most are. */
export function toAttributes<T extends object>(
  kind: Entity<T>,
  fields: Partial<T>,
  isNew = false,
): Record<string, unknown> {
  const attributes: Record<string, unknown> = { ...fields };
  const optional = isNew ? Object.keys(kind.unique) : [];
  for (const field of optional) if (attributes[field] === null) delete attributes[field];
  for (const field of kind.json) {
    const value = attributes[field];
    if (value !== undefined && value !== null) attributes[field] = JSON.stringify(value);
  }
  return attributes;
}

export const isField = (attribute: string): boolean => attribute.charCodeAt(0) >= SMALL_A;
const SMALL_A = 'a'.charCodeAt(0);

/** The record in an item: its attributes that are not in capitals (`schema.ts`). */
export function toRecord<T extends object>(kind: Entity<T>, item: Item): T {
  const fields: Record<string, unknown> = {};
  // A page has hundreds of attributes: `Object.entries` would take six times as long.
  for (const attribute in item) {
    if (isField(attribute)) fields[attribute] = item[attribute];
  }
  for (const field of kind.json) {
    if (typeof fields[field] === 'string') fields[field] = parseJson(fields[field] as string);
  }
  return fields as T;
}

/** The indexes of an entity, as its `store.ts` declares them (`docs/counted-lists.md`). */
interface DeclaredIndex<F extends string = string> {
  readonly kind: 'set' | 'flag' | 'words' | 'exact' | 'order' | 'queue';
  /** Fields of the record that it is made of. */
  readonly fields: readonly F[];
  /** The counter that a flag follows. */
  readonly counter?: string;
  readonly in: (entity: Indexed, tenant: TenantId) => ReturnType<typeof kinds.claimedField>;
}

/** What indexes know of their entity (`entity.ts`). */
interface Indexed {
  readonly name: string;
  readonly record?: { fieldOf(name: string): Parameters<typeof declaredValues>[0] };
  readonly unique: Readonly<Record<string, ((value: string) => string) | undefined>>;
}

/** The last list's indexes of each entity: a request needs them several times, and often so does the next one. */
const latest = new WeakMap<
  Indexed,
  { readonly tenant: TenantId; readonly list: string; readonly made: kinds.Indexes }
>();

/** The indexes of an entity's list. @param list partition of its records */
export function indexesOf(
  entity: Indexed & { readonly indexes: readonly DeclaredIndex[] },
  tenant: TenantId,
  list: string,
): kinds.Indexes {
  const known = latest.get(entity);
  if (known?.tenant === tenant && known.list === list) return known.made;
  const finders = entity.indexes.map((index) => index.in(entity, tenant));
  const made = new kinds.Indexes(list, finders);
  latest.set(entity, { tenant, list, made });
  return made;
}

/** Records by a field's values, in any combination with other sets: short texts, or the elements of a list. */
export const set = <const F extends string>(field: F): DeclaredIndex<F> => ({
  kind: 'set',
  fields: [field],
  in: (entity) => kinds.setIndex(field, () => isOpen(entity, field)),
});

/** By entity: fields by whether callers choose their values. */
const open = new WeakMap<Indexed, Map<string, boolean>>();

/** Whether callers choose the values of a field, by its contract. */
function isOpen(entity: Indexed, field: string): boolean {
  const { record } = entity;
  const known = open.get(entity) ?? new Map<string, boolean>();
  const is = known.get(field) ?? (record !== undefined && declaredValues(record.fieldOf(field)) === undefined);
  open.set(entity, known.set(field, is));
  return is;
}

/** Records of which something is true that follows from their other fields, or from a counter. */
export const flag = <const F extends string, const C extends string = never>(
  field: F,
  rule: ((record: never) => boolean) | { readonly counter: C },
): DeclaredIndex<F | C> => ({
  kind: 'flag',
  fields: [field],
  ...(typeof rule === 'function' ? {} : { counter: rule.counter }),
  in: () => kinds.flagIndex(field, rule),
});

/**
 * Records by the words of some fields (`q`). Where fields are added later, words must be built again. Not for records
 * that expire or are below others.
 * @param claims unique fields by whose claims they are found, too
 * @param isLeftOut whether new records leave their words out, by a setting of the stage: then no list is found by words
 */
export const words = <const F extends string, const C extends string = never>(
  fields: readonly F[],
  { claims = [], isLeftOut }: { readonly claims?: readonly C[]; readonly isLeftOut?: () => boolean } = {},
): DeclaredIndex<F | C> => ({
  kind: 'words',
  fields,
  in: (entity, tenant) =>
    kinds.wordsIndex({
      fields,
      isLeftOut,
      language: { wordsOf, wantedWords, isFound },
      claimed: () =>
        claims.map((field) => ({
          field,
          normalize: entity.unique[field] ?? String,
          partition: uniqueKey(tenant, entity.name, field, '').PK,
        })),
    }),
});

/** Few records, mostly one, by a field's exact value, which is not unique. */
export const exact = <const F extends string>(field: F): DeclaredIndex<F> => ({
  kind: 'exact',
  fields: [field],
  in: () => kinds.exactIndex(field),
});

/** How an item names a record: its key, and the attribute with the record's id. */
type NamingItem = ReturnType<Parameters<typeof kinds.claimedField>[1]>;

/**
 * The only record with a field's value: by the claim of a unique field, or by another item of the tenant.
 * @param itemOf the other item
 */
export const claimed = <const F extends string>(
  field: F,
  itemOf?: (tenant: TenantId, value: string) => NamingItem,
): DeclaredIndex<F> => ({
  kind: 'exact',
  fields: [field],
  in: (entity, tenant) => {
    if (itemOf !== undefined) return kinds.claimedField(field, (value) => itemOf(tenant, value));
    const claimOf = (value: string) => ({ key: uniqueKey(tenant, entity.name, field, value), id: 'holder' });
    // Only where it is asked for: what is unique takes the schema, which no other read needs.
    return kinds.claimedField(field, claimOf, (value) => normalized(entity, field, value));
  },
});

function normalized({ name, unique }: Indexed, field: string, value: string): string {
  const normalize = unique[field];
  if (normalize === undefined) throw new TypeError(`${name} ${field} is not unique`);
  return normalize(value);
}

/** Sorts records by a time and finds ranges of it. Not for records that expire or have a parent. */
export const order = <const F extends string>(field: F): DeclaredIndex<F> => ({
  kind: 'order',
  fields: [field],
  in: () => kinds.orderIndex(field),
});

/** Records that wait for something, by a text (`RecordReader.waiting`). No list is found by it. */
export const queue = <const F extends string>(field: F): DeclaredIndex<F> => ({
  kind: 'queue',
  fields: [field],
  in: () => kinds.queueIndex(field),
});

/** What happens to a record of a kind. */
export interface RecordEvent {
  readonly verb: Exclude<Verb, 'pinged'>;
  /** A new record has it once its number is allocated, so that record and event allocate their numbers in parallel. */
  readonly id: string | Promise<string>;
  /** After it; of a deletion one more than the record had. */
  readonly version: number;
  /** The fields that a new record has, or that a change names, and what else is audited. */
  readonly fields: readonly string[];
  /** The item of the record that is changed, as read. */
  readonly item?: Item;
  /** The record that is changed, and as it will be. */
  readonly before?: object;
  readonly after?: object;
}

/**
 * Stages an event of what happens to a record: for the audit log, for the journal.
 * @returns the attributes that the record keeps of it
 */
export type RecordObserver = (event: RecordEvent) => Promise<Item>;
