import * as z from 'zod';
import { Problem } from '../contract/problem.ts';
import type { Body } from '../contract/record.ts';
import { MAX_JSON } from '../contract/sizes.ts';
import { type HttpRequest, jsonWhere } from './request.ts';
import { validBody } from './validate.ts';

/** A body the API takes; the webhook receiver has its own, smaller bound. In bytes. */
const MAX_BODY = 1_048_576;

/** Values that a field of free-form JSON can have: each takes a character, and a comma or a bracket. */
const MOST_VALUES = MAX_JSON / 2;
/** Of each other field, elements of its lists among them. */
const MOST_OF_OTHERS = 200;

interface ReadBody {
  /** What was sent. */
  readonly json: unknown;
  /** Its fields, checked. */
  readonly fields: Record<string, unknown>;
}

/**
 * The body of a request. To keep numbers as they were written is dear (`docs/decisions/0005`), and whoever sends them has shown nothing yet:
 * it is not done where no field is free-form JSON, nor where one has more in it than will be taken.
 * @throws Problem
 */
export function readBody(body: Body, request: Pick<HttpRequest, 'headers' | 'bytes'>): ReadBody {
  const freeForm = freeFormFields(body);
  const { value: json, isExact } = jsonWhere(
    request,
    MAX_BODY,
    (value) => freeForm.size > 0 && isBounded(value, freeForm),
  );
  const fields = validBody(body, json);
  // What has too much in it is ignored, or it would not have been taken. The numbers beside it were not kept.
  if (freeForm.size > 0 && !isExact) {
    throw new Problem('content-too-large', { detail: 'The body holds more values than its fields can have.' });
  }
  return { json, fields };
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
