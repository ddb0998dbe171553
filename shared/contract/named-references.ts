import * as z from 'zod';
import { lazily } from '../memory.ts';
import { isObject } from '../well-formed.ts';
import { referenceOf } from './constraints.ts';
import { identifier, slug } from './fields.ts';

/**
 * References by a name, in place of an id: `{ "external_id": "crm-17" }`. Only bodies of requests have them; they are
 * resolved before the operation runs (`shared/http/named-references.ts`), and responses have ids.
 */

/** How a reference names a record. */
export interface NamedReference {
  readonly field: string;
  /** Name of the record: `Client`. */
  readonly record: string;
  readonly by: string;
  readonly value: string;
}

const externalId = () =>
  identifier(500, 1).meta({ description: 'What another system calls it by.', examples: ['crm-17'] });

const byExternalId = lazily(
  (): z.ZodType =>
    z
      .strictObject({ external_id: externalId() })
      .meta({ id: 'NamedRecord', description: 'In place of its id: the record that another system calls so.' }),
);

const EITHER = 'must have either external_id or slug';

/** The objects that name records of these kinds. */
const NAMES: Readonly<Record<string, () => z.ZodType>> = {
  Client: lazily(() =>
    z
      .strictObject({
        external_id: externalId().optional(),
        slug: slug()
          .meta({ description: 'Its slug.', examples: ['bistro'] })
          .optional(),
      })
      .refine((names) => Object.keys(names).length === 1, { error: EITHER })
      .meta({
        id: 'NamedClient',
        description: 'In place of its id: the client with this name, which is one of both.',
        override: ({ jsonSchema }) => Object.assign(jsonSchema, { minProperties: 1, maxProperties: 1 }),
      }),
  ),
  Service: byExternalId,
  Resource: byExternalId,
  Ticket: byExternalId,
  User: byExternalId,
  Terminal: byExternalId,
};

/** The object that may stand in place of an id in a field of a body; undefined where none may. */
export function nameSchemaOf(field: z.ZodType | undefined): z.ZodType | undefined {
  const record = field && referenceOf(field);
  return record === undefined ? undefined : NAMES[record]?.();
}

/** The schema of a body whose references are given by names where they are objects. */
export function namingSchema(schema: z.ZodObject, body: Readonly<Record<string, unknown>>): z.ZodObject {
  const named = Object.entries(body).flatMap(([field, value]) => {
    const name = isObject(value) && Object.hasOwn(schema.shape, field) && nameSchemaOf(schema.shape[field]);
    return name ? [[field, name] as const] : [];
  });
  return named.length === 0 ? schema : schema.safeExtend(Object.fromEntries(named));
}

/** The references of a parsed body that are given by names. */
export const namedReferencesIn = (schema: z.ZodObject, body: Readonly<Record<string, unknown>>): NamedReference[] =>
  Object.entries(body).flatMap(([field, value]) => {
    const isKnown = isObject(value) && Object.hasOwn(schema.shape, field);
    const record = isKnown ? referenceOf(schema.shape[field] as z.ZodType) : undefined;
    if (record === undefined) return [];
    const [[by, named] = ['', '']] = Object.entries(value as Readonly<Record<string, string>>);
    return [{ field, record, by, value: named }];
  });
