import type * as z from 'zod';
import { isBlank } from '../words.ts';
import { nearestName } from './nearest-name.ts';
import { type FieldError, MAX_FIELD_ERRORS, Problem, pointer } from './problem.ts';

/**
 * Parses what a request gives, and says what is wrong with it: the same sentence for the same rule, with its limit. A
 * kind of field with a sentence of its own declares it (`fields.ts`); these replace zod's for all others.
 */

type Issue = z.core.$ZodRawIssue;

/** Longest value that a field error quotes, in characters. */
const LONGEST_CHOICE = 500;

/** The sentence about an issue: an error map of zod. */
export const sentenceOf = (issue: Issue): string => {
  if (issue.input === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected] ?? 'is of the wrong type';
    case 'invalid_value':
      return choice(issue.values.map(String));
    case 'too_big':
      return `must ${MEASURES[issue.origin]?.(`at most ${issue.maximum}`) ?? `be at most ${issue.maximum}`}`;
    case 'too_small':
      if (issue.origin in MEASURES && issue.minimum === 1) return 'must not be empty';
      return `must ${MEASURES[issue.origin]?.(`at least ${issue.minimum}`) ?? `be at least ${issue.minimum}`}`;
    default:
      // Custom formats and rules have their own sentences (`test/contract/field-errors.test.ts`).
      return 'is not valid';
  }
};

/** One sentence for every error of a field, except that it is missing. */
export const always =
  (sentence: string) =>
  ({ input }: { readonly input?: unknown }): string | undefined =>
    input === undefined ? undefined : sentence;

const TYPES: Readonly<Record<string, string>> = {
  array: 'must be a list',
  boolean: 'must be true or false',
  int: 'must be a whole number',
  number: 'must be a number',
  object: 'must be a JSON object',
  string: 'must be a string',
};

const MEASURES: Readonly<Record<string, (limit: string) => string>> = {
  array: (limit) => `have ${limit} elements`,
  string: (limit) => `be ${limit} characters long`,
};

function choice(values: readonly string[]): string {
  const named = values.join(', ');
  if (values.length === 1) return `must be ${named}`;
  return named.length <= LONGEST_CHOICE ? `must be one of: ${named}` : `must be one of ${values.length} values`;
}

/** Marks a field error that makes the request too large (413) and not invalid (422). */
export const TOO_LARGE = { tooLarge: true } as const;

/** Schemas that have parsed a request in this container. */
const used = new WeakSet<z.ZodType>();

/**
 * The value as the schema parses it.
 * @param part the part of the request that the value is
 * @throws Problem `invalid-body`, elsewhere than in the body `invalid-parameter`, or `content-too-large` when a field
 *   is too large
 * @example parse(z.strictObject({ id: field.uuid() }), { id: 'x' }, 'path') // throws: must be a UUID
 */
export function parse<S extends z.ZodType>(schema: S, value: unknown, part: FieldError['in']): z.output<S> {
  // zod compiles a schema's parser for speed, which takes a millisecond, so a container's first request does not.
  const result = schema.safeParse(value, { error: sentenceOf, jitless: !used.has(schema) });
  used.add(schema);
  if (result.success) return result.data;
  const issues = withoutConsequences(result.error.issues);
  const type = part === 'body' ? 'invalid-body' : 'invalid-parameter';
  throw new Problem(issues.some(isAboutSize) ? 'content-too-large' : type, {
    errors: issues.slice(0, MAX_FIELD_ERRORS).flatMap((issue) => fieldErrorsOf(issue, { part, value, schema })),
  });
}

/**
 * A value of the wrong type gets no further error: zod would also report the length of a list that should be a string.
 * Where several rules have one sentence, it is said once.
 */
function withoutConsequences(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const places = new Set(issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => pointer(path)));
  const kept = issues.filter(({ code, path }) => code === 'invalid_type' || !places.has(pointer(path)));
  return [...new Map(kept.map((issue) => [`${pointer(issue.path)} ${issue.message}`, issue])).values()];
}

const isAboutSize = (issue: z.core.$ZodIssue): boolean => issue.code === 'custom' && issue.params === TOO_LARGE;

/** Most unknown names of a request for which a known one is looked for. */
const MAX_HINTS = 10;

interface Parsed {
  readonly part: FieldError['in'];
  readonly value: unknown;
  readonly schema: z.ZodType;
}

function fieldErrorsOf(issue: z.core.$ZodIssue, { part, value, schema }: Parsed): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    const known = issue.path.length === 0 ? Object.keys((schema as Partial<z.ZodObject>).shape ?? {}) : [];
    return issue.keys.slice(0, MAX_FIELD_ERRORS).map((key, index) => {
      const meant = index < MAX_HINTS ? nearestName(key, known) : undefined;
      const hint = meant === undefined ? '' : `; did you mean \`${meant}\`?`;
      return { in: part, pointer: pointer([...issue.path, key]), detail: `is not known here${hint}` };
    });
  }
  const hint = part === 'query' && issue.code !== 'too_big' && hasSpace(value, issue.path) ? PLUS : '';
  return [{ in: part, pointer: pointer(issue.path), detail: `${issue.message}${hint}` }];
}

/**
 * What was sent as `+` arrives as a space (WHATWG URL, application/x-www-form-urlencoded): of a time zone, of a mail
 * address.
 */
const PLUS = '; a `+` in a query means a space: write it as `%2B`';

/** Whether the value of a parameter has a space and more; of several values, the one at the path. */
function hasSpace(query: unknown, path: readonly PropertyKey[]): boolean {
  const given = path.reduce<unknown>((value, key) => Object(value)[key], query);
  return [given].flat().some((text) => typeof text === 'string' && text.includes(' ') && !isBlank(text));
}
