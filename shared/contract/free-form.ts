import * as z from 'zod';
import type { Body } from './record.ts';
import type { Route } from './route.ts';
import { MAX_BODY, MAX_JSON, MAX_PLAIN_BODY } from './sizes.ts';

/**
 * Fields of free-form JSON, whose numbers are returned as they were written (`docs/decisions/0005-json-as-it-came.md`).
 */

/** Most values in a free-form field: each takes at least one character, and a comma or a bracket. */
const MOST_VALUES = MAX_JSON / 2;
/**
 * Most values in any other field, with the elements of its lists; those of a list of objects with free-form fields are
 * counted in each.
 */
const MOST_OF_OTHERS = 200;

/**
 * Largest body of a request to this route, in bytes.
 * @example maxBodyOf(auth.routes.login) // 65536
 */
export const maxBodyOf = ({ body, maxBody }: Partial<Pick<Route, 'body' | 'maxBody'>>): number =>
  maxBody ?? (body !== undefined && freeFormIn(body.schema).size > 0 ? MAX_BODY : MAX_PLAIN_BODY);

/** What a body with free-form fields may hold. */
interface FreeForm {
  /**
   * Whether to keep the numbers of a body as they were written. That is expensive and the caller may be anonymous, so
   * it is done only where no field has more values than will be accepted.
   * @param json as `JSON.parse` makes it
   */
  isBounded(json: unknown): boolean;
  /** What is accepted, as a sentence. */
  readonly limit: string;
}

/** Undefined for a body without free-form fields. */
export function freeFormOf(body: Body): FreeForm | undefined {
  const fields = freeFormIn(body.schema);
  if (fields.size === 0) return undefined;
  return {
    isBounded: (json) => isBounded(json, fields),
    limit: `A free-form field may hold up to ${MOST_VALUES} values, any other field up to ${MOST_OF_OTHERS}.`,
  };
}

/** The fields of an object that are free-form; and its lists of objects with such fields, each with these. */
type FreeFormFields = ReadonlyMap<string, 'free-form' | FreeFormElements>;
interface FreeFormElements {
  readonly elements: FreeFormFields;
}

/** Found once for each schema: every request with a body needs them. */
const known = new WeakMap<z.ZodObject, FreeFormFields>();

function freeFormIn(object: z.ZodObject): FreeFormFields {
  const fields = known.get(object) ?? new Map(Object.entries(object.shape).flatMap(freeFormField));
  known.set(object, fields);
  return fields;
}

function freeFormField([field, schema]: readonly [string, z.core.$ZodType]): [
  string,
  'free-form' | FreeFormElements,
][] {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodCustom) return [[field, 'free-form']];
  const element = elementOf(inner);
  const elements = element instanceof z.ZodObject ? freeFormIn(element) : undefined;
  return elements === undefined || elements.size === 0 ? [] : [[field, { elements }]];
}

const unwrapped = (field: z.core.$ZodType): z.core.$ZodType =>
  field instanceof z.ZodOptional || field instanceof z.ZodNullable || field instanceof z.ZodDefault
    ? unwrapped(field.unwrap())
    : field;

/** The schema of the elements of a list (`fields.ts`). */
const elementOf = (field: z.core.$ZodType): z.core.$ZodType | undefined => {
  const array = field instanceof z.ZodPipe ? field.out : field;
  return array instanceof z.ZodArray ? array.element : undefined;
};

const isBounded = (json: unknown, freeForm: FreeFormFields): boolean =>
  typeof json === 'object' &&
  json !== null &&
  Object.keys(json).length <= MOST_OF_OTHERS &&
  Object.entries(json).every(([field, value]) => isFieldBounded(value, freeForm.get(field)));

function isFieldBounded(value: unknown, kind: ReturnType<FreeFormFields['get']>): boolean {
  if (kind === undefined || (kind !== 'free-form' && !Array.isArray(value))) return hasAtMost(MOST_OF_OTHERS, value);
  if (kind === 'free-form') return hasAtMost(MOST_VALUES, value);
  const elements = value as readonly unknown[];
  const isElementBounded = (element: unknown) => hasAtMost(1, element) || isBounded(element, kind.elements);
  return elements.length <= MOST_OF_OTHERS && elements.every(isElementBounded);
}

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
