import * as z from 'zod';
import { referenceOf } from './constraints.ts';

/** The values of a field by its contract: a closed set, or the ids of records of this name. */
export type DeclaredValues = readonly string[] | { readonly record: string };

/** The values that the schema of a field allows; undefined where callers choose them. */
export function declaredValues(schema: z.ZodType | undefined): DeclaredValues | undefined {
  if (schema === undefined) return undefined;
  const record = referenceOf(schema);
  if (record !== undefined) return { record };
  if (schema instanceof z.ZodEnum) return schema.options.map(String);
  if (schema instanceof z.ZodBoolean) return ['true', 'false'];
  return schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? declaredValues(schema.unwrap() as z.ZodType)
    : undefined;
}
