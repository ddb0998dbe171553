import { type Contract, filtersServedBy, type Route } from '#contract';
import type { Entity, PageQuery, Stored } from '#table';
import type { BearerInput, Filtered } from './operation.ts';
import * as respond from './respond.ts';
import { metadataOf } from './route-metadata.ts';

/** List operations: pages of an entity's records, filtered by the query. */

/** Input of a list operation of any route. */
interface PageInput extends BearerInput {
  readonly query: Required<PageQuery> & {
    /** Undefined where the list has only one view. */
    readonly view?: 'summary' | 'full';
  };
}

type PageResponse<U> = ReturnType<typeof respond.page<U>>;

/** Flags of the moment, where other records say when they are true. */
export interface Momentary {
  readonly names: readonly string[];
  readonly read: (input: BearerInput) => Promise<NonNullable<PageQuery['flags']>>;
}

/** Begins to read flags beside the list, and waits for them where it depends on them. */
export async function flagsFor(
  asked: readonly object[],
  input: BearerInput,
  momentary?: Momentary,
): Promise<PageQuery['flags']> {
  const reading = momentary?.read(input);
  const isAsked = asked.some((each) => 'field' in each && momentary?.names.includes(String(each.field)));
  if (isAsked) return reading;
  reading?.catch(() => undefined);
  return undefined;
}

/** A list operation, which says by what it can filter and sort in a list of any size. */
type PageOperation<U> = ((input: PageInput) => Promise<PageResponse<U>>) & Filtered;

/**
 * An operation that returns pages of an entity's records: `listTerminals: pagesOf(terminalEntity)`. A filter that the
 * route declares and no index of the entity serves is an error at the function's start.
 * @param show maps a stored record to the returned one, where they differ
 * @param momentary flags of the moment that the entity does not declare
 */
export const pagesOf = <T extends object, U = T>(
  entity: Entity<T>,
  show: (stored: Stored<T>, input: PageInput) => U | Promise<U> = ({ record }) => record as unknown as U,
  momentary?: Momentary,
): PageOperation<U> => {
  const list = async (input: PageInput): Promise<PageResponse<U>> => {
    const { query, tenant } = input;
    const flags = await flagsFor([...query.where, ...query.sort], input, momentary);
    const found = await tenant.records(entity).page({ ...query, flags });
    const shown = found.records.map(async (stored) => ({ ...stored, record: await show(stored, input) }));
    return respond.page({ ...found, records: await Promise.all(shown) }, input.query);
  };
  return Object.assign(list, { filters: servedBy(entity) });
};

/** What an entity's lists may be filtered and sorted by at any size. */
export const servedBy = ({ indexes }: Pick<Entity, 'indexes'>): Filtered['filters'] =>
  Object.fromEntries(indexes.flatMap(filtersServedBy).map((name) => [name, true as const]));

/**
 * The operation of `usual.changes`: it returns the history of a record.
 * @throws TypeError at the function's start, where the entity keeps none
 */
export function changeListOf<T extends object>(entity: Entity<T>) {
  if (!entity.journaled?.history) throw new TypeError(`${entity.name} is not \`journaled\` with its \`history\``);
  return async ({ params, tenant, getOrThrow }: BearerInput & { readonly params: { readonly id: string } }) => {
    const stored = await getOrThrow(tenant.records(entity), params.id);
    return { body: { data: [...(await tenant.historyOf(stored))] } };
  };
}

/**
 * Checks that every list of a domain serves the filters of its route.
 * @throws TypeError for a list that does not; the message says what to add
 */
export function assertFiltersServed(contract: Contract, operations: Readonly<Record<string, unknown>>): void {
  for (const [operationId, route] of Object.entries(contract.routes)) {
    const { filters } = (operations[operationId] ?? {}) as Partial<Filtered>;
    const unserved = metadataOf(route).filters.filter((name) => !Object.hasOwn(filters ?? {}, name));
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
  const what =
    `${name}: ${method} ${path} takes ${unserved.map((each) => `\`${each}\``).join(' and ')}, by which ` +
    'its records cannot be listed.';
  return filters === undefined
    ? `${what} Make the operation with \`${operationId}: pagesOf(entity)\` (shared/http/pages.ts), which declares ` +
        'its filters.'
    : `${what} Add an index to its entity in functions/${name}/store.ts for what is a field of the record, and ` +
        'take out of the route what is not.';
}
