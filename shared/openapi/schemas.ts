import * as z from 'zod';
import type { Body } from '#contract';

const described = new WeakMap<Body, z.ZodObject>();

/**
 * The schema of a request body, with the fields that it cannot set and a caller may send back. The same body always gives the same schema, so that it
 * becomes one component.
 */
export function bodySchema(body: Body): z.ZodObject {
  const known = described.get(body);
  if (known !== undefined) return known;
  const readOnly = Object.entries(body.readOnlyFields).map(([field, schema]): [string, z.ZodType] => [
    field,
    schema.optional().meta({ ...schema.meta(), default: undefined, readOnly: true }),
  ]);
  const schema = z.strictObject({ ...body.schema.shape, ...Object.fromEntries(readOnly) }).meta({
    id: body.name,
    ...(body.description === undefined ? {} : { description: body.description }),
  });
  described.set(body, schema);
  return schema;
}
