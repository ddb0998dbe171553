import * as z from 'zod';
import type { Body } from './record.ts';
import type { Route } from './route.ts';
import { MAX_BODY, MAX_JSON, MAX_PLAIN_BODY } from './sizes.ts';

/** Fields of free-form JSON, whose numbers are returned as they were written (`docs/decisions/0005-json-as-it-came.md`). */

/** Most values in a free-form field: each takes at least one character, and a comma or a bracket. */
const MOST_VALUES = MAX_JSON / 2;
/** Most values in any other field, with the elements of its lists. */
const MOST_OF_OTHERS = 200;

/** Largest body of a request to this route, in bytes. */
export const maxBodyOf = ({ body, maxBody }: Partial<Pick<Route, 'body' | 'maxBody'>>): number =>
  maxBody ?? (body !== undefined && freeFormFields(body).size > 0 ? MAX_BODY : MAX_PLAIN_BODY);

/** What a body with free-form fields may hold. */
interface FreeForm {
  /**
   * Whether to keep the numbers of a body as they were written. That is expensive and the caller may be anonymous, so it is done only where no
   * field has more values than will be accepted.
   * @param json as `JSON.parse` makes it
   */
  isBounded(json: unknown): boolean;
  /** What is accepted, as a sentence. */
  readonly limit: string;
}

/** Undefined for a body without free-form fields. */
export function freeFormOf(body: Body): FreeForm | undefined {
  const fields = freeFormFields(body);
  if (fields.size === 0) return undefined;
  return {
    isBounded: (json) => isBounded(json, fields),
    limit: `A free-form field may hold up to ${MOST_VALUES} values, any other field up to ${MOST_OF_OTHERS}.`,
  };
}

/** Found once for each schema: every request with a body needs them. */
const known = new WeakMap<Body['schema'], ReadonlySet<string>>();

function freeFormFields({ schema }: Body): ReadonlySet<string> {
  const fields =
    known.get(schema) ?? new Set(Object.keys(schema.shape).filter((field) => isFreeForm(schema.shape[field])));
  known.set(schema, fields);
  return fields;
}

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

/** Counts the values, including the value itself, lists and objects. Stops counting beyond `most`. */
function valuesIn(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const key in value) {
    count += valuesIn((value as Readonly<Record<string, unknown>>)[key], most - count);
    if (count > most) break;
  }
  return count;
}
