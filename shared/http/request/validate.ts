import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import { type Body, freeFormOf, namingSchema, Problem, parse, parseQuery, pointer, type Route } from '#contract';
import { asNumber, type Parsed } from '#json';
import { isObject, isUuid } from '../../well-formed.ts';
import { listed, metadataOf } from '../route-metadata.ts';
import { type HttpRequest, jsonOf, preferenceOf } from './http-request.ts';

/** Validates path, query and body against their route. All errors of one of them are reported together. */

/** @throws Problem `invalid-parameter` */
export const validParams = (route: Route, request: Pick<HttpRequest, 'params'>): Record<string, unknown> =>
  uuidsIn(route, request.params) ?? parse(route.params, request.params, 'path');

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

/**
 * The query; that of a list has its filters as conditions.
 * @throws Problem `invalid-parameter`
 */
export function validQuery(route: Route, { query }: Pick<HttpRequest, 'query'>): Record<string, unknown> {
  const { emptyQuery } = metadataOf(route);
  if (emptyQuery !== null && Object.keys(query).length === 0) return { ...emptyQuery };
  const { parsed, conditions } = parseQuery(route, query);
  if (route.response.isList) assertShort(query);
  return listed(parsed, conditions);
}

/**
 * Most bytes of a list's query, as it is encoded: `Link` has it twice and more, and API Gateway returns 10,240 bytes of
 * headers at most.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
 */
const MOST_QUERY = 3_800;

/** @throws Problem `invalid-parameter` */
function assertShort(query: HttpRequest['query']): void {
  const given = Object.entries(query).flatMap(([name, all]) => all.map((value): [string, string] => [name, value]));
  if (new URLSearchParams(given).toString().length <= MOST_QUERY) return;
  throw new Problem('invalid-parameter', {
    detail: `The query of a list may have ${MOST_QUERY} bytes, as it is encoded in the URL.`,
  });
}

/**
 * The fields of a body that it can set; `read-only-fields.ts` compares the others.
 * @throws Problem `invalid-body`, or `content-too-large` when a field is too large
 */
export function validBody(body: Body, given: unknown, mayName = false): Record<string, unknown> {
  // A number that is kept as text is an object in JavaScript.
  const json = asNumber(given);
  if (!isObject(json)) {
    throw new Problem('invalid-body', { errors: [{ in: 'body', pointer: '#', detail: 'must be a JSON object' }] });
  }
  const settable = Object.entries(json).filter(([field]) => !Object.hasOwn(body.readOnlyFields, field));
  const fields = Object.fromEntries(settable.map(([field, value]) => [field, withoutKeptNumber(value)]));
  return parse(mayName && hasObject(fields) ? namingSchema(body.schema, fields) : body.schema, fields, 'body');
}

/** Whether a body may give references by names, which are objects. */
export const hasObject = (body: Readonly<Record<string, unknown>>): boolean => Object.values(body).some(isObject);

/** Numbers that are kept as text are for free-form fields only. */
const withoutKeptNumber = (value: unknown): unknown => (Array.isArray(value) ? value.map(asNumber) : asNumber(value));

/**
 * The fields of a parsed body.
 * @throws Problem `invalid-body`, or `content-too-large` when a field or the body is too large
 */
export function validFields(body: Body, { value, isExact }: Parsed): Record<string, unknown> {
  const fields = validBody(body, value, true);
  // The body is valid, so the oversized field is one that it cannot set. But because of that field, the numbers of all
  // other fields were parsed as doubles.
  const freeForm = isExact ? undefined : freeFormOf(body);
  if (freeForm !== undefined) throw new Problem('content-too-large', { detail: freeForm.limit });
  return fields;
}

/**
 * Parses and validates a JSON body that the pipeline has left alone.
 * @returns the parsed JSON, its numbers as they were written, and the fields of the body
 * @throws Problem `unsupported-media-type`, `content-too-large`, `malformed-request` or `invalid-body`
 */
export function readBody(body: Body, sent: Pick<HttpRequest, 'headers' | 'bytes'>, maxBytes: number) {
  const json = jsonOf(sent, maxBytes);
  return { json, fields: validBody(body, json) };
}

/**
 * Fields of a record that a body names although it cannot set them (`docs/decisions/0138-read-only-fields.md`). Nothing
 * that was sent may vanish behind a success: they must have the values that the record has.
 */

/** By name, as sent. */
export type ReadOnlyFields = Readonly<Record<string, unknown>>;

/** The fields of a parsed body that it cannot set. */
export const readOnlyFieldsIn = (body: Body, json: unknown): ReadOnlyFields =>
  Object.fromEntries(
    Object.entries(json as object).flatMap(([field, value]) =>
      Object.hasOwn(body.readOnlyFields, field) ? [[field, asNumber(value)]] : [],
    ),
  );

/**
 * Checks that the fields that a request names and cannot set have the values of the record: a change is compared with
 * the record before it, a creation with the new record (null stands for no value).
 * @throws Problem `invalid-body`
 */
export function checkReadOnlyFields(
  { method, body }: Pick<Route, 'method' | 'body'>,
  sent: ReadOnlyFields,
  record: unknown,
): void {
  const values = record as ReadOnlyFields | undefined;
  const isCreation = method !== 'PATCH';
  const differing = Object.entries(sent).filter(
    ([field, value]) =>
      !(isCreation && value === null) && !isSameValue(body?.readOnlyFields[field], value, values?.[field] ?? null),
  );
  if (differing.length === 0) return;
  const detail = isCreation ? 'is set by the service' : 'cannot be changed, and the record has another value';
  throw new Problem('invalid-body', {
    detail:
      'Leave out fields that cannot be set, or send them as the record has them. "Prefer: handling=lenient" ' +
      'ignores them.',
    errors: differing.map(([field]) => ({ in: 'body' as const, pointer: pointer([field]), detail })),
  });
}

/** Compares values and not spellings: `2026-11-20T10:30+01:00` is `2026-11-20T09:30:00.000Z`. */
function isSameValue(schema: z.ZodType | undefined, sent: unknown, current: unknown): boolean {
  const parsed = schema?.safeParse(sent);
  return parsed?.success === true && isDeepStrictEqual(parsed.data, current);
}

/** The preference that is honoured (RFC 7240 §4.4), as `Preference-Applied` names it. */
export const LENIENT = 'handling=lenient';

/** Whether the caller wants the parts of a request that can be ignored to be ignored, and the rest carried out. */
export const prefersLenient = (request: Pick<HttpRequest, 'headers'>): boolean =>
  preferenceOf(request, 'handling') === 'lenient';
