import * as z from 'zod';
import { uniqueFieldsOf } from '../../contract/constraints.ts';
import { parseJson } from '../../contract/json.ts';
import type { Item } from '../schema.ts';

/** How the records of one kind are stored. Declared in the `store.ts` of the domain that owns them; `F` are the fields of its filters. */
export interface Entity<T extends object = object, F extends Field<T> = Field<T>> {
  /** Part of every key: `TICKET`. */
  readonly name: string;
  /** The record of the contract, where there is one. */
  readonly record?: Declared;
  /**
   * Fields that the records can be listed by, in any combination: short texts or flags, null for none. One that is added later serves old records
   * once the operator has built it (`docs/counted-lists.md`).
   */
  readonly filters: readonly F[];
  /** Free-form JSON, stored as its text: DynamoDB's own maps cannot hold `1e300` or sixty levels (`docs/decisions/0005`). */
  readonly json: readonly Field<T>[];
  /** JSON that is stored as ciphertext and shown opened. How much it takes then can only be bounded (`record-size.ts`). */
  readonly encrypted: readonly Field<T>[];
  /** Values used once in a tenant, with what makes two spellings the same: of a record of the contract, its `unique` fields. */
  readonly unique: { readonly [field in Field<T>]?: (value: string) => string };
  /** Days after which a record expires; it is kept to the end of the last. */
  readonly retentionDays?: number;
  /**
   * Numbers are the time of creation and not taken from the list's head: for records that are read in order and never counted, such as the messages
   * of a ticket. Saves a write.
   */
  readonly byTime?: true;
  /** The one record of its kind in its tenant, under an id that is given: in no list. */
  readonly single?: true;
  /** Ids are numbers that the parent gives, from 1 on, instead of UUIDs (spec §2, resource history). None is ever deleted alone. */
  readonly numbered?: true;
  /** Of what each record is a part: it lies below one, which counts it, as a message below its ticket. */
  readonly parent?: AnyEntity;
  /** What audit events call such a record: with it, every creation and change leaves one (`audit-events.ts`). */
  readonly audited?: string;
}

export type AnyEntity = Entity<Record<string, unknown>>;

type Field<T> = keyof T & string;

/** A record as a contract declares it. `T` is the shape in which it is stored. */
interface Declared<T = unknown> {
  readonly name: string;
  readonly schema: z.ZodType<T>;
}

/** A record of the contract that is stored in another shape than it is answered in. */
export const storedAs = <T extends object>(record: Declared): Declared<T> => record as Declared<T>;

type Options<T extends object> = Partial<Omit<Entity<T>, 'name' | 'record' | 'filters'>>;

/** Declares the entity of a contract's record: `entity('TICKET', ticket, { filters: ['status'], json: ['custom_fields'] })`. */
export function entity<T extends object, const F extends Field<T> = never>(
  name: string,
  record: Declared<T>,
  options?: Omit<Options<T>, 'unique'> & { readonly filters?: readonly F[] },
): Entity<T, F>;
/** Declares the entity of records that no contract declares: those of the storage code itself. */
export function entity<T extends object, const F extends Field<T> = Field<T>>(
  name: string,
  options?: Options<T> & { readonly filters?: readonly F[] },
): Entity<T, F>;
export function entity<T extends object>(
  name: string,
  recordOrOptions: Declared<T> | Partial<Entity<T>> = {},
  options: Partial<Entity<T>> = {},
): Entity<T> {
  const isDeclared = 'schema' in recordOrOptions;
  return {
    name,
    filters: [],
    json: [],
    encrypted: [],
    unique: {} as Entity<T>['unique'],
    ...(isDeclared ? { record: recordOrOptions, unique: uniqueIn(recordOrOptions), ...options } : recordOrOptions),
  };
}

/** The fields that are unique in a tenant, as the contract says. */
function uniqueIn<T extends object>({ schema }: Declared<T>): Entity<T>['unique'] {
  const fields = schema instanceof z.ZodObject ? [...uniqueFieldsOf(schema)] : [];
  const inTenant = fields.filter(([, { within }]) => within === 'tenant');
  return Object.fromEntries(inTenant.map(([field, { normalize }]) => [field, normalize])) as Entity<T>['unique'];
}

/** A record's fields as the attributes of an item. */
export function toAttributes<T extends object>(kind: Entity<T>, fields: Partial<T>): Record<string, unknown> {
  const attributes: Record<string, unknown> = { ...fields };
  for (const field of kind.json) {
    const value = attributes[field];
    if (value !== undefined && value !== null) attributes[field] = JSON.stringify(value);
  }
  return attributes;
}

/** The record in an item: its lower-case attributes, for the service's own are in capitals (`schema.ts`). */
export function toRecord<T extends object>(kind: Entity<T>, item: Item): T {
  const fields: Record<string, unknown> = {};
  for (const [attribute, value] of Object.entries(item)) {
    if (attribute.toUpperCase() !== attribute) fields[attribute] = value;
  }
  for (const field of kind.json) {
    if (typeof fields[field] === 'string') fields[field] = parseJson(fields[field] as string);
  }
  return fields as T;
}
