import * as z from 'zod';
import type { Body } from '../contract/record.ts';
import { MAX_JSON } from '../contract/sizes.ts';

/** Fields of free-form JSON, whose numbers come back as they were written (`docs/decisions/0005-json-as-it-came.md`). */

/** Values that a field of free-form JSON can have: each takes a character, and a comma or a bracket. */
const MOST_VALUES = MAX_JSON / 2;
/** Of each other field, elements of its lists among them. */
const MOST_OF_OTHERS = 200;

/** Whether a body has such fields. */
export const hasFreeForm = (body: Body): boolean => freeFormFields(body).size > 0;

/**
 * Whether it is worth it to keep a body's numbers as they were written: it is dear, and whoever sends them has shown nothing yet. It is not
 * where no field is free-form, nor where one has more in it than will be taken.
 * @param json as `JSON.parse` makes it
 */
export function isWorthKeeping(body: Body, json: unknown): boolean {
  const freeForm = freeFormFields(body);
  return freeForm.size > 0 && isBounded(json, freeForm);
}

const freeFormFields = ({ schema }: Body): ReadonlySet<string> =>
  new Set(Object.keys(schema.shape).filter((field) => isFreeForm(schema.shape[field])));

function isFreeForm(field: z.core.$ZodType | undefined): boolean {
  if (field instanceof z.ZodOptional || field instanceof z.ZodNullable || field instanceof z.ZodDefault) {
    return isFreeForm(field.unwrap());
  }
  return field instanceof z.ZodCustom;
}

const isBounded = (json: unknown, freeForm: ReadonlySet<string>): boolean =>
  typeof json === 'object' &&
  json !== null &&
  Object.keys(json).length <= MOST_OF_OTHERS &&
  Object.entries(json).every(([field, value]) => hasAtMost(freeForm.has(field) ? MOST_VALUES : MOST_OF_OTHERS, value));

const hasAtMost = (most: number, value: unknown): boolean => valuesIn(value, most) <= most;

/** How many values there are, the whole, lists and objects among them; beyond `most` not counted on. */
function valuesIn(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const key in value) {
    count += valuesIn((value as Readonly<Record<string, unknown>>)[key], most - count);
    if (count > most) break;
  }
  return count;
}
