import * as z from 'zod';
import { referenceOf } from './constraints.ts';

/** What a contract says of the values of a field: a closed set, or the ids of records of this name. */
export type DeclaredValues = readonly string[] | { readonly record: string };

/** The values that a field may have, as far as its schema tells; undefined where callers choose them. */
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
