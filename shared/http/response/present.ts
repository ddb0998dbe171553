import * as z from 'zod';

type Present = (value: unknown) => unknown;

/** Made once for each schema: asking a schema for its fields takes several times as long as reading them. */
const made = new WeakMap<z.ZodType, Present>();

/** The value with exactly the fields of its schema: other fields are left out, missing ones get their default or null. */
export const present = (schema: z.ZodType, value: unknown): unknown => presenterOf(schema)(value);

function presenterOf(schema: z.ZodType): Present {
  const known = made.get(schema) ?? make(schema);
  made.set(schema, known);
  return known;
}

function make(schema: z.ZodType): Present {
  const standard: unknown = schema.meta()?.default ?? null;
  const asItIs: Present = (value) => (value === undefined ? standard : value);
  if (schema instanceof z.ZodObject) return objectOf(schema, asItIs);
  if (schema instanceof z.ZodArray) return arrayOf(presenterOf(schema.element as z.ZodType), asItIs);
  return asItIs;
}

function objectOf({ shape }: z.ZodObject, otherwise: Present): Present {
  const fields = Object.entries<z.ZodType>(shape).map(([name, schema]) => [name, presenterOf(schema)] as const);
  return (value) => {
    if (typeof value !== 'object' || value === null) return otherwise(value);
    const shown: Record<string, unknown> = {};
    for (const [name, field] of fields) shown[name] = field((value as Record<string, unknown>)[name]);
    return shown;
  };
}

const arrayOf =
  (element: Present, otherwise: Present): Present =>
  (value) =>
    Array.isArray(value) ? value.map(element) : otherwise(value);
