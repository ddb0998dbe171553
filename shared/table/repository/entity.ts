import { parseJson } from '../../contract/json.ts';
import type { Item } from '../schema.ts';

/** How the records of one kind are stored. Declared in the domain that owns them. */
export interface Entity<T extends object = object> {
  /** Part of every key: `TICKET`. */
  readonly name: string;
  /**
   * Fields that the records can be listed by, in any combination: short texts or flags, null for none. One that is added later serves old records
   * once the operator has built it (`docs/counted-lists.md`).
   */
  readonly filters: readonly Field<T>[];
  /** Free-form JSON, stored as its text: DynamoDB's own maps cannot hold `1e300` or sixty levels (`docs/decisions/0005`). */
  readonly json: readonly Field<T>[];
  /** JSON that is stored as ciphertext and shown opened. How much it takes then can only be bounded (`record-size.ts`). */
  readonly encrypted: readonly Field<T>[];
  /** Values used once in a tenant, with what makes two spellings the same. */
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
  /** What audit events call such a record: with it, every creation and change leaves one (`audit-events.ts`). */
  readonly audited?: string;
}

type Field<T> = keyof T & string;

/** Declares an entity: `entity<Ticket>('TICKET', { filters: ['status'], json: ['custom_fields'] })`. */
export const entity = <T extends object>(name: string, options: Partial<Omit<Entity<T>, 'name'>> = {}): Entity<T> => ({
  name,
  filters: [],
  json: [],
  encrypted: [],
  unique: {} as Entity<T>['unique'],
  ...options,
});

/** Spellings are the same when they are the same to the letter. */
export const exactly = (value: string): string => value;
/** Spellings are the same when they differ in upper and lower case only. */
export const ignoringCase = (value: string): string => value.toLowerCase();

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
