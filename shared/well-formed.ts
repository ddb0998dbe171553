/**
 * Checks values that this service made itself: the claims of its tokens, the authorizer's context. The schemas of the
 * contracts check requests; they take ten times as long to load.
 */

type Check = (value: unknown) => boolean;

/** Whether a value is an object with members, as in JSON: no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether an object has all of these fields, each as it should be. It may have others. */
export const isWellFormed = <T>(value: unknown, checks: { readonly [field in keyof T]-?: Check }): value is T =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries<Check>(checks).every(([field, check]) => check((value as Readonly<Record<string, unknown>>)[field]));

export const matching =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);

export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

export const equalTo =
  (expected: unknown): Check =>
  (value) =>
    value === expected;

export const anyText: Check = (value) => typeof value === 'string';
export const nonEmptyText: Check = (value) => typeof value === 'string' && value !== '';
export const wholeNumber: Check = Number.isSafeInteger;
export const isUuid = matching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i);

/** Undefined for what is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
