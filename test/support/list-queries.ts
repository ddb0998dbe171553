import fc from 'fast-check';
import type * as z from 'zod';
import type { Route } from '#contract';
import { CREATED, rangeNames } from '../../shared/contract/filter-names.ts';
import type { Condition } from '../../shared/contract/list-parameter.ts';
import { conditionsOf, listQueryOf } from '../../shared/contract/list-query.ts';
import { elementOf } from '../../shared/contract/several-values.ts';

/**
 * Queries of a list, generated from its contract: any of its filters and orders, with what they mean in plain words. `q` is left out: `list-oracle.ts`
 * says which words find what.
 */

/** A record as its list shows it. */
type Row = Readonly<Record<string, unknown>>;

interface ListQuery {
  /** `priority=high&sort=-created_at` */
  readonly query: string;
  readonly matches: (row: Row) => boolean;
  /** The order of two of the records from which the query was generated. */
  readonly compare: (one: Row, other: Row) => number;
}

interface Filter {
  readonly values: readonly (readonly [name: string, value: string])[];
  readonly matches: (row: Row) => boolean;
}

/** One filter of each parameter. */
export const eachFilter = (route: Route, rows: readonly Row[]): fc.Arbitrary<readonly Filter[]> =>
  fc.tuple(...filtersIn(route, rows));

function filtersIn(route: Route, rows: readonly Row[]): fc.Arbitrary<Filter>[] {
  const names = [...new Set([...conditionsOf(route).keys(), ...listQueryOf(route).filters.keys()])];
  return names.map((name) => filterOf(route, name, rows)).filter((filter) => filter !== undefined);
}

/** @param rows the records of the list as it shows them, the oldest first: most values are theirs */
export function listQueries(route: Route, rows: readonly Row[]): fc.Arbitrary<ListQuery> {
  const { sorts } = listQueryOf(route);
  const isShown = (field: string): boolean => rows.some((row) => Object.hasOwn(row, field));
  const some = filtersIn(route, rows);
  const fields = sorts.filter((field) => field === CREATED || isShown(field));
  const key = fc.record({ field: fc.constantFrom(...fields), isDown: fc.boolean() });
  const sort = fc.uniqueArray(key, { maxLength: 2, selector: ({ field }) => field });
  return fc
    .subarray(some, { maxLength: Math.min(3, some.length) })
    .chain((chosen) => fc.record({ chosen: fc.tuple(...chosen), sort }))
    .map(({ chosen, sort }) => ({
      query: new URLSearchParams([
        ...chosen.flatMap(({ values }) => values.map(([name, value]): [string, string] => [name, value])),
        ...(sort.length === 0 ? [] : [['sort', sort.map(textOf).join()] as [string, string]]),
        ...('view' in route.query.shape ? [['view', 'full'] as [string, string]] : []),
      ]).toString(),
      matches: (row) => chosen.every((filter) => filter.matches(row)),
      compare: inOrder(sort, rows),
    }));
}

interface Key {
  readonly field: string;
  readonly isDown: boolean;
}

const textOf = ({ field, isDown }: Key): string => `${isDown ? '-' : ''}${field}`;

/** By the keys, without a value last, and then by creation in the direction of the first key; by default the newest first. */
function inOrder(sort: readonly Key[], rows: readonly Row[]): ListQuery['compare'] {
  const ranks = new Map(rows.map((row, index) => [row.id, index]));
  const keys = [...sort, { field: CREATED, isDown: sort[0]?.isDown ?? true }];
  return (one, other) => {
    const orders = keys.map(({ field, isDown }) => {
      const valueIn = (row: Row): unknown => (field === CREATED ? ranks.get(row.id) : row[field]);
      const [first, second] = [valueIn(one), valueIn(other)];
      if (isMissing(first) || isMissing(second)) return Number(isMissing(first)) - Number(isMissing(second));
      return isDown ? comparedTo(second, first) : comparedTo(first, second);
    });
    return orders.find((order) => order !== 0) ?? 0;
  };
}

const isMissing = (value: unknown): boolean => value === null || value === undefined;

const DAY = /^\d{4}-\d\d-\d\d(T|$)/;

/** Days and times by what they mean; texts by their characters. */
function comparedTo(one: unknown, other: unknown): number {
  const [first, second] = [one, other].map((value) =>
    typeof value === 'string' && DAY.test(value) ? Date.parse(value) : (value as number),
  ) as [number, number];
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

/** Undefined where no record has the field: `over_threshold`. */
function filterOf(route: Route, name: string, rows: readonly Row[]): fc.Arbitrary<Filter> | undefined {
  const filter = listQueryOf(route).filters.get(name);
  const { field, as } = filter ?? (conditionsOf(route).get(name) as Condition);
  const schema = (route.query.shape[name] ?? filter?.schema) as z.ZodType;
  if (as === 'words' || as === 'contains' || !rows.some((row) => Object.hasOwn(row, field))) return undefined;
  const own = rows.map((row) => row[field]).filter((value) => !isMissing(value));
  if (as === 'allOf') return allOf(name, field, own.flat() as string[]);
  if (as === 'digits') return digitsOf(name, field, own);
  if (as !== 'anyOf') return own.length === 0 ? undefined : rangeOf(name, { field, as }, own);
  // A time is equal to null only.
  const isTime = listQueryOf(route).filters.has(rangeNames(field).after) || name.endsWith('_at');
  const values = [...(isTime ? [] : own.filter((value) => value !== 'null')), ...(filter?.takesNull ? [null] : [])];
  return values.length === 0 ? undefined : anyOf(name, field, values, elementOf(schema) === undefined ? 1 : 3);
}

const anyOf = (name: string, field: string, values: readonly unknown[], most: number): fc.Arbitrary<Filter> =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: most }).map((all) => ({
    values: all.map((value) => [name, String(value)]),
    matches: (row) => all.some((value) => value === (row[field] ?? null)),
  }));

/** Telephone numbers, as others write them. */
const digitsOf = (name: string, field: string, values: readonly unknown[]): fc.Arbitrary<Filter> | undefined => {
  const numbers = values.map((value) => `${value}`.replace(/[^0-9]/g, '')).filter((digits) => digits !== '');
  return numbers.length === 0
    ? undefined
    : fc.constantFrom(...numbers).map((digits) => ({
        values: [[name, `+${digits.slice(0, 2)} (${digits.slice(2)})`]],
        matches: (row) => `${row[field] ?? ''}`.replace(/[^0-9]/g, '') === digits,
      }));
};

/** The first 20 different ones of a record are found. */
const allOf = (name: string, field: string, values: readonly string[]): fc.Arbitrary<Filter> =>
  fc.uniqueArray(fc.constantFrom(...values, 'of none'), { minLength: 1, maxLength: 2 }).map((all) => ({
    values: all.map((value) => [name, value]),
    matches: (row) => all.every((value) => [...new Set(row[field] as string[] | null)].slice(0, 20).includes(value)),
  }));

const rangeOf = (name: string, { field, as }: Condition, values: readonly unknown[]): fc.Arbitrary<Filter> =>
  fc.constantFrom(...values).map((bound) => ({
    values: [[name, String(bound)]],
    matches: (row) => {
      if (isMissing(row[field])) return false;
      const order = comparedTo(row[field], bound);
      if (as === 'before') return order < 0;
      return as === 'atLeast' ? order >= 0 : order <= 0;
    },
  }));
