import * as z from 'zod';

/**
 * Records: one declaration per record of the spec (§2), from which the schemas of its response, its creation and its change are made.
 *
 *     const terminal = record('Terminal', {
 *       id: readOnly(uuid()),             // set by the service; ignored when sent back
 *       client_id: createOnly(uuid()),    // set on creation; ignored in a change
 *       name: name(200),                  // required on creation, may be changed
 *       status: word().default('active'), // optional on creation
 *     });
 */

type Access = 'read' | 'create' | 'create?';

interface Restricted<S extends z.ZodType = z.ZodType, A extends Access = Access> {
  readonly schema: S;
  readonly access: A;
}

export const readOnly = <S extends z.ZodType>(schema: S): Restricted<S, 'read'> => ({ schema, access: 'read' });
export const createOnly = <S extends z.ZodType>(schema: S): Restricted<S, 'create'> => ({ schema, access: 'create' });
/** Like {@link createOnly}, but the service chooses a value when none is given: an organization, a ticket code. */
export const optionalOnCreate = <S extends z.ZodType>(schema: S): Restricted<S, 'create?'> => ({
  schema,
  access: 'create?',
});

type Field = z.ZodType | Restricted;
export type Fields = Record<string, Field>;

type SchemaOf<F> = F extends Restricted<infer S> ? S : F extends z.ZodType ? F : never;
type Bare<S> = S extends z.ZodDefault<infer Inner extends z.ZodType> ? Inner : S;

type RecordShape<F extends Fields> = { -readonly [K in keyof F]: SchemaOf<F[K]> };
type CreateShape<F extends Fields> = {
  -readonly [K in keyof F as F[K] extends Restricted<z.ZodType, 'read'> ? never : K]: F[K] extends Restricted<
    infer S,
    'create?'
  >
    ? z.ZodOptional<S>
    : SchemaOf<F[K]>;
};
type PatchShape<F extends Fields> = {
  -readonly [K in keyof F as F[K] extends Restricted ? never : K]: z.ZodOptional<Bare<SchemaOf<F[K]>>>;
};

/** A kind of request body. */
export interface Body<S extends z.ZodObject = z.ZodObject> {
  /** Name in the OpenAPI document. */
  readonly name: string;
  readonly schema: S;
  /** Read-only fields of the record, which a caller may send back and which change nothing. */
  readonly ignored: Readonly<Record<string, z.ZodType>>;
}

export interface RecordType<F extends Fields = Fields> {
  readonly name: string;
  /** The record as answered: every field, always. */
  readonly schema: z.ZodObject<RecordShape<F>>;
  readonly create: Body<z.ZodObject<CreateShape<F>>>;
  readonly patch: Body<z.ZodObject<PatchShape<F>>>;
}

/** The record as answered. */
export type RecordOf<R extends { readonly schema: z.ZodType }> = z.output<R['schema']>;

/** Declares a record. `name` is its name in the OpenAPI document. */
export function record<const F extends Fields>(name: string, fields: F): RecordType<F> {
  const entries = Object.entries<Field>(fields);
  const pick = (wanted: (field: Field) => boolean): [string, z.ZodType][] =>
    entries.filter(([, field]) => wanted(field)).map(([key, field]) => [key, schemaOf(field)]);

  const answered = entries.map(([key, field]): [string, z.ZodType] => {
    const declared = schemaOf(field);
    const schema = withoutDefault(declared);
    const standard = emptyValue(declared);
    return [
      key,
      schema.meta({
        ...schema.meta(),
        ...(standard === undefined ? {} : { default: standard }),
        ...(isRestricted(field) && field.access === 'read' ? { readOnly: true } : {}),
      }),
    ];
  });
  const created = pick((field) => !isRestricted(field) || field.access !== 'read').map(
    ([key, schema]): [string, z.ZodType] => [key, isOptionalOnCreate(fields[key]) ? schema.optional() : schema],
  );
  const changed = pick((field) => !isRestricted(field)).map(([key, schema]): [string, z.ZodType] => [
    key,
    withoutDefault(schema).optional(),
  ]);
  return {
    name,
    schema: z.strictObject(Object.fromEntries(answered)).meta({ id: name }),
    create: {
      name: `${name}Create`,
      schema: z.strictObject(Object.fromEntries(created)),
      ignored: Object.fromEntries(answered.filter(([key]) => !created.some(([other]) => other === key))),
    },
    patch: {
      name: `${name}Patch`,
      schema: z.strictObject(Object.fromEntries(changed)),
      ignored: Object.fromEntries(answered.filter(([key]) => !changed.some(([other]) => other === key))),
    },
    // The shapes above are built key by key, which the compiler cannot match with the mapped types.
  } as unknown as RecordType<F>;
}

/** A body that does not belong to a record: a login, a webhook event. */
export const body = <S extends z.ZodRawShape>(name: string, shape: S): Body<z.ZodObject<S>> => ({
  name,
  schema: z.strictObject(shape) as z.ZodObject<S>,
  ignored: {},
});

/** The value of a field that was not given: its default, else null if it is nullable. */
function emptyValue(schema: z.ZodType): unknown {
  if (schema instanceof z.ZodDefault) return schema.def.defaultValue;
  return schema.safeParse(null).success ? null : undefined;
}

const isRestricted = (field: Field): field is Restricted => 'access' in field;
const isOptionalOnCreate = (field: Field | undefined): boolean =>
  field !== undefined && isRestricted(field) && field.access === 'create?';
const schemaOf = (field: Field): z.ZodType => (isRestricted(field) ? field.schema : field);
const withoutDefault = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodDefault ? (schema.unwrap() as z.ZodType) : schema;
