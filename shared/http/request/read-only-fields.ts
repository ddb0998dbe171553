import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import type { Body, Route } from '#contract';
import { type FieldError, Problem, pointer } from '#contract/problem';
import { asNumber } from '#json';
import type { HttpRequest } from './http-request.ts';
import { preferenceOf } from './preferences.ts';

/**
 * Fields of a record that a body names although it cannot set them (`docs/decisions/0138-read-only-fields.md`). Nothing that was sent may vanish
 * behind a success: they must have the values that the record has.
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
 * Checks that the fields that a request names and cannot set have the values of the record: a change is compared with the record before it, a
 * creation with the new record (null stands for no value).
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
      'Leave out fields that cannot be set, or send them as the record has them. "Prefer: handling=lenient" ignores them.',
    errors: differing.map(([field]): FieldError => ({ in: 'body', pointer: pointer([field]), detail })),
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
