import * as z from 'zod';
import { lazily } from '../memory.ts';
import { keyText } from '../words.ts';
import { uuid } from './fields.ts';
import { sameMailAddress } from './mail-address.ts';
import { elementOf } from './several-values.ts';

/**
 * Constraints between records: unique fields and references. They are declared only in the contract: storage, problems,
 * the OpenAPI document, the operator's verification and the tests read them there.
 */

/** No two records have the same value of a field. */
export interface Uniqueness {
  /**
   * `tenant`: among the tenant's records, enforced by storage. `service`: among the records of all tenants, enforced by
   * the domain itself.
   */
  readonly within: 'tenant' | 'service';
  /** Maps all spellings of the same value to one text. */
  readonly normalize: (value: string) => string;
}

const NORMALIZERS = { text: keyText, 'mail-address': sameMailAddress } as const;

const uniqueness = lazily(() => z.registry<Uniqueness>());
const references = lazily(() => z.registry<{ readonly record: string }>());

/**
 * At most one record of a tenant has this text: `unique(field.slug()).nullable()`. Any number of records may have null.
 * @param options `within: 'service'`: at most one record of all tenants has it. `comparedAs`: `mail-address` where
 * case and the form of the domain make no difference.
 */
export const unique = <S extends z.ZodType<string>>(
  schema: S,
  { within = 'tenant', comparedAs = 'text' }: UniqueOptions = {},
): S => marked(schema, uniqueness(), { within, normalize: NORMALIZERS[comparedAs] });

interface UniqueOptions extends Partial<Pick<Uniqueness, 'within'>> {
  readonly comparedAs?: keyof typeof NORMALIZERS;
}

/**
 * The id of a record of this service, by the record's name: `reference('Client')`. It takes a name and not the record
 * itself, so that two domains can refer to each other. The operation checks that the record exists (`require` of
 * `shared/table/repository/repository.ts`).
 */
export const reference = (record: string) =>
  marked(uuid(), references(), { record }).describe(`The ${wordsOf(record)}, by the id that its creation returned.`);

export const uniquenessOf = (schema: z.ZodType): Uniqueness | undefined => markOf(schema, uniqueness());

/** Name of the record whose id a field or parameter holds. */
export const referenceOf = (schema: z.ZodType): string | undefined => markOf(schema, references())?.record;

/**
 * The fields of a schema that are unique, by name.
 * @example uniqueFieldsOf(client.schema).has('slug') // true
 */
export const uniqueFieldsOf = ({ shape }: z.ZodObject): ReadonlyMap<string, Uniqueness> => marksOf(shape, uniquenessOf);

/**
 * The fields of a schema that hold ids of records, by name.
 * @example referencesIn(service.create.schema).get('client_id') // Client
 */
export const referencesIn = ({ shape }: z.ZodObject): ReadonlyMap<string, string> => marksOf(shape, referenceOf);

function marked<S extends z.ZodType, M extends object>(schema: S, marks: z.core.$ZodRegistry<M>, mark: M): S {
  // The schema itself may be used for another field as well.
  const own = schema.clone() as S;
  (marks as z.core.$ZodRegistry<object>).add(own, mark);
  return own;
}

/**
 * The mark of a schema, or of the schema inside `optional`, `nullable`, `default` or a parameter that takes several
 * values.
 */
function markOf<M extends object>(schema: z.ZodType, marks: z.core.$ZodRegistry<M>): M | undefined {
  const mark = (marks as z.core.$ZodRegistry<object>).get(schema) as M | undefined;
  const { innerType = elementOf(schema) } = schema.def as { readonly innerType?: z.ZodType };
  return mark ?? (innerType === undefined ? undefined : markOf(innerType, marks));
}

function marksOf<M>(shape: z.ZodRawShape, markIn: (schema: z.ZodType) => M | undefined): ReadonlyMap<string, M> {
  const marks = Object.entries(shape).map(([field, schema]) => [field, markIn(schema as z.ZodType)] as const);
  return new Map(marks.filter((entry): entry is [string, M] => entry[1] !== undefined));
}

/** `ServiceAction` is "service action". */
const wordsOf = (record: string): string => record.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();

/** The values of a field by its contract: a closed set, or the ids of records of this name. */
export type DeclaredValues = readonly string[] | { readonly record: string };

/**
 * The values that the schema of a field allows; undefined where callers choose them.
 * @example declaredValues(z.enum(['open', 'closed'])) // ['open', 'closed']
 */
export function declaredValues(schema: z.ZodType | undefined): DeclaredValues | undefined {
  if (schema === undefined) return undefined;
  const record = referenceOf(schema);
  if (record !== undefined) return { record };
  const element = elementOf(schema);
  if (element !== undefined) return declaredValues(element);
  if (schema instanceof z.ZodEnum) return schema.options.map(String);
  if (schema instanceof z.ZodBoolean) return ['true', 'false'];
  return schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? declaredValues(schema.unwrap() as z.ZodType)
    : undefined;
}
