import * as z from 'zod';
import { lazily } from '../memory.ts';

/**
 * Records: one declaration per record of the spec (§2), from which the schemas of its response, its creation and its
 * change are made.
 *
 *     const terminal = record('Terminal', () => ({
 *       id: readOnly(uuid()),             // set by the service; may be sent back as it is
 *       client_id: createOnly(uuid()),    // set on creation; may be sent back as it is in a change
 *       name: name(200),                  // required on creation, may be changed
 *       status: word().default('active'), // optional on creation
 *     }));
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

/** These fields, where a response has them only on request. */
export const onRequest = <F extends Fields>(fields: F) =>
  Object.fromEntries(
    Object.entries<Field>(fields).map(([name, field]) => [name, readOnly(withoutDefault(schemaOf(field)).optional())]),
  ) as { [K in keyof F]: Restricted<z.ZodOptional<Bare<SchemaOf<F[K]>>>, 'read'> };

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
type UpsertShape<F extends Fields> = {
  -readonly [K in keyof CreateShape<F>]: SchemaOf<F[K & keyof F]> extends z.ZodDefault
    ? z.ZodOptional<Bare<SchemaOf<F[K & keyof F]>>>
    : CreateShape<F>[K];
};
type PatchShape<F extends Fields> = {
  -readonly [K in keyof F as F[K] extends Restricted ? never : K]: z.ZodOptional<Bare<SchemaOf<F[K]>>>;
};

/** A kind of request body. */
export interface Body<S extends z.ZodObject = z.ZodObject> {
  /** Name in the OpenAPI document. */
  readonly name: string;
  readonly schema: S;
  /** Its description in the OpenAPI document. For the body of a record it follows from the record. */
  readonly description?: string | undefined;
  /**
   * Fields of the record that the body cannot set. A caller may send them back as they are
   * (`shared/http/request/validate.ts`).
   */
  readonly readOnlyFields: Readonly<Record<string, z.ZodType>>;
}

export interface RecordType<F extends Fields = Fields> {
  readonly name: string;
  /** The record as returned: every field, always. */
  readonly schema: z.ZodObject<RecordShape<F>>;
  readonly create: Body<z.ZodObject<CreateShape<F>>>;
  readonly patch: Body<z.ZodObject<PatchShape<F>>>;
  /** The body of the creation without defaults: what it leaves out an existing record keeps. */
  readonly upsert: Body<z.ZodObject<UpsertShape<F>>>;
  /** The schema of a field as it was declared. Builds none of the record's schemas. */
  fieldOf(name: string): z.ZodType | undefined;
  /** Says what the record is, in the OpenAPI document. */
  describe(text: string): RecordType<F>;
}

/** The record as returned. */
export type RecordOf<R extends { readonly schema: z.ZodType }> = z.output<R['schema']>;

/**
 * Declares a record. `name` is its name in the OpenAPI document. Its fields are declared, and its schemas built, when
 * first asked for: a request needs few of them.
 */
export function record<const F extends Fields>(name: string, fields: () => F): RecordType<F> {
  const entriesOf = lazily(() => Object.entries<Field>(fields()).map(describedByName));
  let description: string | undefined;
  const schema = lazily(() =>
    z
      .strictObject(shapeOf(entriesOf(), inResponse))
      .meta({ id: name, ...(description === undefined ? {} : { description }) }),
  );
  const body = (suffix: string, isTaken: (field: Field) => boolean, taken: (field: Field) => z.ZodType) => {
    const own = () => entriesOf().filter(([, field]) => isTaken(field));
    const others = () => entriesOf().filter(([, field]) => !isTaken(field));
    const built = lazily(() => z.strictObject(shapeOf(own(), taken)));
    const readOnlyFields = lazily(() => shapeOf(others(), inResponse));
    return {
      name: `${name}${suffix}`,
      get schema() {
        return built();
      },
      get readOnlyFields() {
        return readOnlyFields();
      },
    };
  };
  const type = {
    name,
    get schema() {
      return schema();
    },
    create: body('Create', isCreated, created),
    patch: body('Patch', (field) => !isRestricted(field), changed),
    upsert: body('Upsert', isCreated, sentOnly),
    fieldOf: (name: string) => {
      const [, field] = entriesOf().find(([key]) => key === name) ?? [];
      return field && schemaOf(field);
    },
    describe: (text: string) => {
      description = text;
      return type;
    },
    // The shapes are built key by key, which the compiler cannot match with the mapped types.
  } as unknown as RecordType<F>;
  return type;
}

/** The descriptions of fields that many records have, where a record gives none. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  id: 'Names the record in paths and references. The service chooses it; it never changes.',
  external_id:
    'Extends the specification: what another system calls it by; no two of its kind in an organization have the same.',
  created_at: 'When the record was created, by the clock of the service.',
  updated_at: 'When the record was last changed through the API; at first the time of its creation.',
};

function describedByName([name, field]: readonly [string, Field]): [string, Field] {
  const text = DESCRIPTIONS[name];
  if (text === undefined || schemaOf(field).description !== undefined) return [name, field];
  return [name, isRestricted(field) ? { ...field, schema: field.schema.describe(text) } : field.describe(text)];
}

const shapeOf = (
  entries: readonly [string, Field][],
  schemaIn: (field: Field) => z.ZodType,
): Record<string, z.ZodType> => Object.fromEntries(entries.map(([key, field]) => [key, schemaIn(field)]));

function inResponse(field: Field): z.ZodType {
  const declared = schemaOf(field);
  const schema = withoutDefault(declared);
  // A value that the service chooses has no default, nor has one that may be missing.
  const hasNone = (isRestricted(field) && field.access === 'create?') || declared instanceof z.ZodOptional;
  const standard = hasNone ? undefined : emptyValue(declared);
  return schema.meta({
    ...schema.meta(),
    ...(standard === undefined ? {} : { default: standard }),
    ...(isRestricted(field) && field.access === 'read' ? { readOnly: true } : {}),
  });
}

const created = (field: Field): z.ZodType =>
  isRestricted(field) && field.access === 'create?' ? field.schema.optional() : schemaOf(field);

const changed = (field: Field): z.ZodType => withoutDefault(schemaOf(field)).optional();

/** As for a creation, but a field with a default may stay out. */
const sentOnly = (field: Field): z.ZodType =>
  created(field) instanceof z.ZodDefault ? changed(field) : created(field);

/** A body that does not belong to a record: a login, a webhook event. */
export function body<S extends z.ZodRawShape>(name: string, shape: () => S): DescribedBody<S> {
  const schema = lazily(() => z.strictObject(shape()) as z.ZodObject<S>);
  const made = {
    name,
    get schema() {
      return schema();
    },
    description: undefined as string | undefined,
    readOnlyFields: {},
    describe(text: string) {
      made.description = text;
      return made;
    },
  };
  return made;
}

interface DescribedBody<S extends z.ZodRawShape> extends Body<z.ZodObject<S>> {
  /** Says what the body is, in the OpenAPI document. */
  describe(text: string): Body<z.ZodObject<S>>;
}

/**
 * A body whose schema is made from that of another: `adapted(client.create, (schema) => schema.partial({ slug: true
 * }))`. What it has can be set, though it be read-only in the other.
 */
export const adapted = <S extends z.ZodObject, T extends z.ZodObject>(
  base: Body<S>,
  adapt: (schema: S) => T,
): Body<T> => {
  const schema = lazily(() => adapt(base.schema));
  const readOnlyFields = lazily(() =>
    Object.fromEntries(Object.entries(base.readOnlyFields).filter(([field]) => !(field in schema().shape))),
  );
  return {
    name: base.name,
    description: base.description,
    get schema() {
      return schema();
    },
    get readOnlyFields() {
      return readOnlyFields();
    },
  };
};

/** A response or body that is not a record: its schema is built when first asked for. */
export function declared<S extends z.ZodType>(make: () => S): { readonly schema: S } {
  const schema = lazily(make);
  return {
    get schema() {
      return schema();
    },
  };
}

/** The value of a field that was not given: its default, else null if it is nullable. */
function emptyValue(schema: z.ZodType): unknown {
  if (schema instanceof z.ZodDefault) return schema.def.defaultValue;
  return schema.safeParse(null).success ? null : undefined;
}

const isRestricted = (field: Field): field is Restricted => 'access' in field;
const isCreated = (field: Field): boolean => !isRestricted(field) || field.access !== 'read';
const schemaOf = (field: Field): z.ZodType => (isRestricted(field) ? field.schema : field);
/** The description of a field stays, before or after its default. */
function withoutDefault(schema: z.ZodType): z.ZodType {
  if (!(schema instanceof z.ZodDefault)) return schema;
  const own = schema.meta();
  const inner = schema.unwrap() as z.ZodType;
  return own === undefined ? inner : inner.meta({ ...inner.meta(), ...own });
}
