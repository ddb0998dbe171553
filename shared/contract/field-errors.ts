import type * as z from 'zod';

/**
 * What field errors say: the same sentence for the same rule, with its limit. A kind of field with a sentence of its own declares it
 * (`fields.ts`); these replace zod's for all others.
 */

type Issue = z.core.$ZodRawIssue;

/** Values are named up to so many characters, so that a field error stays short. */
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
      if (issue.origin === 'string' && issue.minimum === 1) return 'must not be empty';
      return `must ${MEASURES[issue.origin]?.(`at least ${issue.minimum}`) ?? `be at least ${issue.minimum}`}`;
    default:
      // Formats and rules of our own say it themselves (`test/contract/field-errors.test.ts`).
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
