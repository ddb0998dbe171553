import { Problem, parse, pointer } from '#contract';
import { asNumber } from '#json';
import type { ImportKind } from './kinds.ts';

/** What a record of a file is sent as, and what is wrong with it by the contract. */

export interface Input {
  readonly params?: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Mistake {
  readonly pointer: string;
  readonly detail: string;
}

/** The parameters and the body of the operation that creates a record with these fields. */
export function inputOf({ named }: ImportKind, fields: Readonly<Record<string, unknown>>): Input {
  if (named === undefined) return { body: fields };
  const { [named.field]: value, ...body } = fields;
  return { params: { [named.parameter]: value as string }, body };
}

/** A body may be nested up to 256 levels deep, and is one of them. */
const MOST_LEVELS = 255;

/** What is wrong with these fields, as the API would say it. */
export function mistakesIn(kind: ImportKind, fields: Readonly<Record<string, unknown>>): Mistake[] {
  // What is nested deeper cannot be checked or written, either.
  const deep = Object.keys(fields).filter((field) => isDeeper(fields[field], MOST_LEVELS));
  if (deep.length > 0)
    return deep.map((field) => ({
      pointer: pointer([field]),
      detail: `is nested more than ${MOST_LEVELS} levels deep`,
    }));
  const { params = {}, body } = inputOf(kind, fields);
  const readOnly = Object.keys(body).filter((field) => Object.hasOwn(kind.body.readOnlyFields, field));
  const settable = Object.entries(body).filter(([field]) => !readOnly.includes(field));
  return [
    ...readOnly.map((field) => ({ pointer: pointer([field]), detail: 'is set by the service: leave it out' })),
    ...(kind.named === undefined ? [] : namedMistakes(kind.named, params)),
    ...refusalsOf(() => parse(kind.body.schema, Object.fromEntries(settable.map(withoutKeptNumber)), 'body')),
  ];
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1)));

const namedMistakes = ({ schema, field }: NonNullable<ImportKind['named']>, params: Input['params']): Mistake[] =>
  refusalsOf(
    () => parse(schema, params, 'path'),
    () => pointer([field]),
  );

/** A number that is kept as text is an object in JavaScript (`#json`). They are for free-form fields only. */
const withoutKeptNumber = ([field, value]: readonly [string, unknown]): [string, unknown] => [
  field,
  Array.isArray(value) ? value.map(asNumber) : asNumber(value),
];

function refusalsOf(check: () => unknown, place = (own: string) => own): Mistake[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.errors.map((found) => ({ pointer: place(found.pointer), detail: found.detail }));
  }
}
