import type * as z from 'zod';
import { type Body, type Route, sentenceOf, TOO_LARGE } from '#contract';
import { hasFreeForm, MOST_OF_OTHERS, MOST_VALUES } from '#contract/derived';
import { type FieldError, MAX_FIELD_ERRORS, Problem, pointer } from '#contract/problem';
import { asNumber, type Parsed } from '#json';
import { isUuid } from '../../well-formed.ts';
import { metadataOf } from '../routes/route-metadata.ts';
import type { HttpRequest } from './http-request.ts';

/** Validates path, query and body against their route. All errors of one of them are reported together. */

/** @throws Problem `invalid-parameter` */
export const validParams = (route: Route, request: Pick<HttpRequest, 'params'>): Record<string, unknown> =>
  uuidsIn(route, request.params) ?? parsed(route.params, request.params, 'path', 'invalid-parameter');

/** The parsed parameters, where the schema requires only UUIDs and all are UUIDs. */
function uuidsIn(route: Route, params: Readonly<Record<string, string>>): Record<string, string> | undefined {
  const { uuids, parameters } = metadataOf(route);
  const given = Object.entries(params);
  return uuids.length === parameters &&
    given.length === parameters &&
    given.every(([name, value]) => uuids.includes(name) && isUuid(value))
    ? Object.fromEntries(given.map(([name, value]) => [name, value.toLowerCase()]))
    : undefined;
}

/** @throws Problem `invalid-parameter` */
export function validQuery(route: Route, request: Pick<HttpRequest, 'query'>): Record<string, unknown> {
  const { emptyQuery } = metadataOf(route);
  if (emptyQuery !== null && Object.keys(request.query).length === 0) return { ...emptyQuery };
  const repeated = Object.keys(request.query).filter((name) => (request.query[name]?.length ?? 0) > 1);
  if (repeated.length > 0) {
    throw new Problem('invalid-parameter', {
      errors: repeated.map(
        (name): FieldError => ({ in: 'query', pointer: pointer([name]), detail: 'given more than once' }),
      ),
    });
  }
  const single = Object.fromEntries(Object.entries(request.query).map(([name, values]) => [name, values[0]]));
  return parsed(route.query, single, 'query', 'invalid-parameter');
}

/**
 * The fields of a body that it can set; `read-only-fields.ts` compares the others.
 * @throws Problem `invalid-body`, or `content-too-large` when a field is too large
 */
export function validBody(body: Body, given: unknown): Record<string, unknown> {
  // A number that is kept as text is an object in JavaScript.
  const json = asNumber(given);
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new Problem('invalid-body', { errors: [{ in: 'body', pointer: '#', detail: 'must be a JSON object' }] });
  }
  const settable = Object.entries(json).filter(([field]) => !Object.hasOwn(body.readOnlyFields, field));
  const fields = Object.fromEntries(settable.map(([field, value]) => [field, asNumber(value)]));
  return parsed(body.schema, fields, 'body', 'invalid-body');
}

/**
 * The fields of a parsed body.
 * @throws Problem `invalid-body`, or `content-too-large` when a field or the body is too large
 */
export function validFields(body: Body, { value, isExact }: Parsed): Record<string, unknown> {
  const fields = validBody(body, value);
  // The body is valid, so the oversized field is one that it cannot set. But because of that field, the numbers of all
  // other fields were parsed as doubles.
  if (!isExact && hasFreeForm(body)) {
    throw new Problem('content-too-large', {
      detail: `A free-form field may hold up to ${MOST_VALUES} values, any other field up to ${MOST_OF_OTHERS}.`,
    });
  }
  return fields;
}

/** Schemas that have parsed a request in this container. */
const used = new WeakSet<z.ZodType>();

function parsed(
  schema: z.ZodObject,
  value: Readonly<Record<string, unknown>>,
  part: FieldError['in'],
  type: 'invalid-parameter' | 'invalid-body',
): Record<string, unknown> {
  // zod compiles a schema's parser for speed, which takes a millisecond, so a container's first request does not.
  const result = schema.safeParse(value, { error: sentenceOf, jitless: !used.has(schema) });
  used.add(schema);
  if (result.success) return result.data;
  const issues = withoutConsequences(result.error.issues);
  throw new Problem(issues.some(isAboutSize) ? 'content-too-large' : type, {
    errors: issues.slice(0, MAX_FIELD_ERRORS).flatMap((issue) => fieldErrorsOf(issue, part)),
  });
}

/**
 * A value of the wrong type gets no further error: zod would also report the length of a list that should be a string.
 */
function withoutConsequences(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const places = new Set(issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => pointer(path)));
  return issues.filter(({ code, path }) => code === 'invalid_type' || !places.has(pointer(path)));
}

const isAboutSize = (issue: z.core.$ZodIssue): boolean => issue.code === 'custom' && issue.params === TOO_LARGE;

function fieldErrorsOf(issue: z.core.$ZodIssue, part: FieldError['in']): FieldError[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, MAX_FIELD_ERRORS)
      .map((key) => ({ in: part, pointer: pointer([...issue.path, key]), detail: 'is not known here' }));
  }
  return [{ in: part, pointer: pointer(issue.path), detail: issue.message }];
}
