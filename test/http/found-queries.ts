import fc from 'fast-check';
import type * as z from 'zod';
import { type Asked, plain, type Row, wordsOfQuery } from '../support/list-oracle.ts';
import { operations } from '../support/scenario.ts';
import { type FoundList, TAGS, typed } from './found-lists.ts';

/** What lists are asked for: every parameter that they take, in any combination. */

export interface ListQuery extends Asked {
  readonly sort: string;
  readonly size: number;
}

const SORTS = ['created_at', '-created_at', 'last_activity_at', '-last_activity_at'];
/** Parameters that change what is shown of a record, how many are, or whose they are. */
const OF_PAGES = ['org_id', 'page', 'page_size', 'view'];
const TIMES = ['last_activity_after', 'last_activity_before'];

const shapeOf = ({ listId }: FoundList) =>
  (operations.find(([id]) => id === listId)?.[1].query.shape ?? {}) as unknown as Readonly<Record<string, z.ZodType>>;

/** The parameters of a list that {@link queryOf} does not know. */
export const unknownParameters = (list: FoundList): string[] =>
  Object.keys(shapeOf(list)).filter(
    (name) =>
      ![...OF_PAGES, ...TIMES, 'sort', 'q', 'tag', ...Object.keys({ ...list.filters, ...list.exact })].includes(name),
  );

const takes = (list: FoundList, name: string, value: string): boolean =>
  shapeOf(list)[name]?.safeParse(value).success === true;

/** Values of a filter: one, or up to three where it takes several. */
const valuesOf = (list: FoundList, filter: string, values: readonly string[]): fc.Arbitrary<readonly string[]> =>
  takes(list, filter, 'active,held') || takes(list, filter, 'open,closed') || isOfIds(list, filter)
    ? fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 })
    : fc.constantFrom(...values).map((value) => [value]);

const isOfIds = (list: FoundList, filter: string): boolean =>
  takes(list, filter, '87d6100d-2b60-4000-8000-000000000001,87d6100d-2b60-4000-8000-000000000002');

const offered = <T>(list: FoundList, all: Readonly<Record<string, T>>): [string, T][] =>
  Object.entries(all).filter(([name]) => name in shapeOf(list));

/** @param times at which records may have moved */
export function queryOf(list: FoundList, times: readonly string[]): fc.Arbitrary<ListQuery> {
  const anyOf = offered(list, list.filters).map(
    ([filter, values]) => [filter, valuesOf(list, filter, values)] as const,
  );
  const exactly = offered(list, list.exact).map(([name, values]) => [name, fc.constantFrom(...values)] as const);
  const time = times.length === 0 ? undefined : fc.constantFrom(...times);
  const parts: Record<string, fc.Arbitrary<unknown>> = {
    anyOf: fc.record(Object.fromEntries(anyOf), { requiredKeys: [] }),
    // Rarely, because nearly nothing is left then.
    exactly: fc.oneof(
      { weight: 2, arbitrary: fc.constant({}) },
      fc.record(Object.fromEntries(exactly), { requiredKeys: [] }),
    ),
    sort: fc.constantFrom(...SORTS.filter((sort) => takes(list, 'sort', sort))),
    size: fc.constantFrom(1, 2, 3, 5, 200),
    ...('tag' in shapeOf(list) && { tags: fc.uniqueArray(fc.constantFrom(...TAGS), { maxLength: 2 }) }),
    ...('q' in shapeOf(list) && { q: fc.array(typed, { minLength: 1, maxLength: 3 }).map((all) => all.join(' ')) }),
    ...(time !== undefined && 'last_activity_after' in shapeOf(list) && { after: time, before: time }),
  };
  const optional = fc.record(parts, { requiredKeys: ['anyOf', 'exactly', 'sort', 'size'] });
  return optional as unknown as fc.Arbitrary<ListQuery>;
}

/** The path of a page. @param idOf replaces ids that only the test knows */
export function pathOf(list: FoundList, query: ListQuery, page: number, idOf: (value: string) => string): string {
  const { anyOf = {}, exactly = {}, tags = [], q, after, before, sort, size } = query;
  const asked = [
    ...Object.entries(anyOf).map(([field, values]) => [field, values.map(idOf).join(',')]),
    ...Object.entries(exactly),
    ...tags.map((tag) => ['tag', tag]),
    ...Object.entries({ q, last_activity_after: after, last_activity_before: before, sort, page_size: size, page }),
  ].filter(([, value]) => value !== undefined);
  return `${list.path}?${asked.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&')}`;
}

/** A search for nothing, or for more than a `q` may have, is refused. */
export const isRefused = ({ q }: ListQuery): boolean =>
  q !== undefined && (wordsOfQuery(q).length === 0 || plain(q).length > 100);

/** Records in an order. Those of one time stay in that of their creation. */
export function inOrder(rows: readonly Row[], sort: string): Row[] {
  const field = sort.replace('-', '');
  const sorted = rows.toSorted((one, other) => (field === 'created_at' ? 0 : compare(one[field], other[field])));
  return sort.startsWith('-') ? sorted.toReversed() : sorted;
}

const compare = (one: unknown, other: unknown): number => {
  if (one === other) return 0;
  return String(one) < String(other) ? -1 : 1;
};
