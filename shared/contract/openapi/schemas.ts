import * as z from 'zod';
import type { Body } from '../record.ts';

const IGNORED = 'Ignored: a record may be sent back as it was read.';

const described = new WeakMap<Body, z.ZodObject>();

/**
 * The schema of a request body, with the read-only fields that a caller may send back and that change nothing. The same body always gives the
 * same schema, so that it becomes one component.
 */
export function bodySchema(body: Body): z.ZodObject {
  const known = described.get(body);
  if (known !== undefined) return known;
  const ignored = Object.entries(body.ignored).map(([field, schema]): [string, z.ZodType] => [
    field,
    schema.optional().meta({ ...schema.meta(), default: undefined, readOnly: true, description: IGNORED }),
  ]);
  const schema = z.strictObject({ ...body.schema.shape, ...Object.fromEntries(ignored) }).meta({ id: body.name });
  described.set(body, schema);
  return schema;
}
