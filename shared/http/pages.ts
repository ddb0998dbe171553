import type { Contract, Route } from '#contract';
import { filterNames } from '#contract/derived';
import * as parameter from '#contract/parameter';
import type { Entity, Stored } from '#table';
import type { BearerInput, Filtered } from './operation.ts';
import * as respond from './respond.ts';
import { metadataOf } from './routes/route-metadata.ts';

/** List operations: pages of an entity's records, filtered by the query. */

/** Input of a list operation of any route. */
interface PageInput extends BearerInput {
  readonly query: {
    readonly page: number;
    readonly page_size: number;
    readonly sort: string;
    /** Undefined where the list has only one view. */
    readonly view?: 'summary' | 'full';
    readonly [filter: string]: unknown;
  };
}

/** The values of filters. */
type Given<F extends string> = { readonly [name in F]?: string | boolean | readonly string[] };

type PageResponse<U> = ReturnType<typeof respond.page<U>>;

/** A time from which on, and one before which. */
type TimeRange = { readonly after?: string; readonly before?: string };

/** A list operation, which declares the filters of its entity. */
type PageOperation<F extends string, U> = ((input: PageInput) => Promise<PageResponse<U>>) & Filtered<F>;

/**
 * An operation that returns pages of an entity's records: `listTerminals: pagesOf(terminalEntity)`. It applies every
 * filter and exact value of the entity that the route takes, and its `sort`. A filter that the entity does not have is a
 * compiler error and an error at the function's start; `q` for an entity without `words`, and a time without an order,
 * are only the latter.
 * @param show maps a stored record to the returned one, where they differ
 */
export const pagesOf = <T extends object, F extends keyof T & string, E extends keyof T & string = never, U = T>(
  entity: Entity<T, F, E>,
  show: (stored: Stored<T>, input: PageInput) => U | Promise<U> = ({ record }) => record as unknown as U,
): PageOperation<FilterName<T, F, E>, U> => {
  const exact = Object.keys(entity.exact) as E[];
  const isSearched = entity.words.length > 0;
  const list = async (input: PageInput): Promise<PageResponse<U>> => {
    const { page, page_size, sort } = input.query;
    const given = input.query as object as Given<string>;
    const filter = Object.fromEntries(
      entity.filters.map((field) => [field, given[filterNames.nameOf(field)]]),
    ) as Given<F>;
    const q = isSearched ? (input.query as { readonly [parameter.WORDS]?: string })[parameter.WORDS] : undefined;
    const values = Object.fromEntries(exact.map((field) => [field, input.query[field] as string | undefined]));
    const ranges = Object.fromEntries(
      entity.orders.map((field) => {
        const { after, before } = filterNames.rangeNames(field);
        return [field, { after: input.query[after], before: input.query[before] } as TimeRange];
      }),
    );
    const found = await input.tenant.records(entity).page({ page, page_size, sort, filter, q, values, ranges });
    const shown = found.records.map(async (stored) => ({ ...stored, record: await show(stored, input) }));
    return respond.page({ ...found, records: await Promise.all(shown) }, input.query);
  };
  const ofOrders = entity.orders.flatMap((field) => [
    filterNames.sortName(field),
    ...Object.values(filterNames.rangeNames(field)),
  ]);
  const searched = isSearched ? [parameter.WORDS] : [];
  const names = [...entity.filters.map(filterNames.nameOf), ...exact, ...searched, ...ofOrders];
  const filters = Object.fromEntries(names.map((name) => [name, true])) as Readonly<Record<FilterName<T, F, E>, true>>;
  return Object.assign(list, { filters });
};

/** What a list of these records may be filtered and sorted by. */
type FilterName<T, F extends string, E> =
  | filterNames.FilterName<F>
  | E
  | typeof parameter.WORDS
  | filterNames.OrderName<keyof T & string>;

/**
 * Checks that every list of a domain serves the filters of its route, and writes the filters that the route does not offer yet.
 * @throws TypeError for a list that does not; the message says what to add
 */
export function assertFiltersServed(contract: Contract, operations: Readonly<Record<string, unknown>>): void {
  for (const [operationId, route] of Object.entries(contract.routes)) {
    const { filters } = (operations[operationId] ?? {}) as Partial<Filtered<string>>;
    if (!route.response.isList) continue;
    const written = [...metadataOf(route).filters, ...(route.notYetOffered ?? [])];
    const unserved = written.filter((name) => !Object.hasOwn(filters ?? {}, name));
    if (unserved.length > 0) throw new TypeError(unservedMessage(contract, operationId, route, unserved, filters));
  }
}

function unservedMessage(
  { name }: Contract,
  operationId: string,
  { method, path }: Route,
  unserved: readonly string[],
  filters: object | undefined,
): string {
  const what = `${name}: ${method} ${path} takes ${unserved.map((each) => `\`${each}\``).join(' and ')}, by which its records cannot be listed.`;
  return filters === undefined
    ? `${what} Make the operation with \`${operationId}: pagesOf(entity)\` (shared/http/pages.ts), which declares its filters.`
    : `${what} Add to the \`filters\` of its entity in functions/${name}/store.ts what is a field of the record, and take out of the route what is not.`;
}
