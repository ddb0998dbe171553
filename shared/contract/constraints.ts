import * as z from 'zod';
import { uuid } from './fields.ts';

/**
 * What a field says about other records. It is declared in the contract and nowhere else: storage, problems, the OpenAPI document, the
 * operator's verification and the tests read it there.
 */

/** That no two records have the same value of a field. */
export interface Uniqueness {
  /** `tenant`: its records, which storage sees to. `service`: all tenants' records, which the domain sees to itself. */
  readonly within: 'tenant' | 'service';
  /** Makes the same text of all spellings that count as the same value. */
  readonly normalize: (value: string) => string;
}

/** Spellings are the same when they are the same to the letter. */
export const exactly = (value: string): string => value;
/** Spellings are the same when they differ in upper and lower case only. */
export const ignoringCase = (value: string): string => value.toLowerCase();

const uniqueness = z.registry<Uniqueness>();
const references = z.registry<{ readonly record: string }>();

/** A text that one record of a tenant has at most: `unique(slug()).nullable()`, where null may stand in any number of them. */
export const unique = <S extends z.ZodType<string>>(schema: S, normalize = exactly): S =>
  marked(schema, uniqueness, { within: 'tenant', normalize });

/** A text that one record of all tenants has at most. */
export const uniqueEverywhere = <S extends z.ZodType<string>>(schema: S): S =>
  marked(schema, uniqueness, { within: 'service', normalize: exactly });

/**
 * The id of a record of this service, by the record's name: `reference('Client')`. Names, and not the records themselves, so that two domains
 * can refer to each other. Whether the record is there is for the operation to check (`shared/table/repository/references.ts`).
 */
export const reference = (record: string) =>
  marked(uuid(), references, { record }).describe(`Id of the ${wordsOf(record)}.`);

export const uniquenessOf = (schema: z.ZodType): Uniqueness | undefined => markOf(schema, uniqueness);

/** Name of the record that a field or parameter holds the id of. */
export const referenceOf = (schema: z.ZodType): string | undefined => markOf(schema, references)?.record;

/** The fields of a schema that are unique, by name. */
export const uniqueFieldsOf = ({ shape }: z.ZodObject): ReadonlyMap<string, Uniqueness> => marksOf(shape, uniquenessOf);

/** The fields of a schema that hold ids of records, by name. */
export const referencesIn = ({ shape }: z.ZodObject): ReadonlyMap<string, string> => marksOf(shape, referenceOf);

function marked<S extends z.ZodType, M extends object>(schema: S, marks: z.core.$ZodRegistry<M>, mark: M): S {
  // The schema itself may be used for another field as well.
  const own = schema.clone() as S;
  (marks as z.core.$ZodRegistry<object>).add(own, mark);
  return own;
}

/** A mark is that of the schema, or of what it makes optional, nullable or defaulted. */
function markOf<M extends object>(schema: z.ZodType, marks: z.core.$ZodRegistry<M>): M | undefined {
  const mark = (marks as z.core.$ZodRegistry<object>).get(schema) as M | undefined;
  const { innerType } = schema.def as { readonly innerType?: z.ZodType };
  return mark ?? (innerType === undefined ? undefined : markOf(innerType, marks));
}

function marksOf<M>(shape: z.ZodRawShape, markIn: (schema: z.ZodType) => M | undefined): ReadonlyMap<string, M> {
  const marks = Object.entries(shape).map(([field, schema]) => [field, markIn(schema as z.ZodType)] as const);
  return new Map(marks.filter((entry): entry is [string, M] => entry[1] !== undefined));
}

/** `ServiceAction` is "service action". */
const wordsOf = (record: string): string => record.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();
