import * as z from 'zod';
import { parse } from './field-errors.ts';
import { filtersBy } from './field-filters.ts';
import { bounded, shownAs } from './fields.ts';
import { CREATED, CREATION_FIELDS, listOfElement, rangeNames } from './filter-names.ts';
import type { Condition, ListParameter } from './list-parameter.ts';
import { WORDS } from './parameters.ts';
import { type FieldError, Problem, pointer } from './problem.ts';
import { protectedFieldsOf, type Route } from './route.ts';
import { elementOf, NULL, valuesIn } from './several-values.ts';
import { filtersOf, isSearchable, ordersOf } from './traits.ts';

/**
 * What the records of a list are filtered and sorted by (`docs/decisions/0170-filters.md`). What the `query` of its
 * route declares, an index serves in a list of any size. All other scalar fields of its records follow from their
 * schemas, for small lists: these parameters are made when a request or the document asks for them.
 */

/** The parameters of a list that follow from its records. */
export interface ListQuery {
  /** By name. Those that the route declares are among them where the field may be null: then they also take `null`. */
  readonly filters: ReadonlyMap<string, ListParameter>;
  readonly sort: z.ZodType;
  /** The fields that `sort` may name. */
  readonly sorts: readonly string[];
}

const made = new WeakMap<Route, ListQuery>();

/** Those of a list that {@link isSearchable}. */
export function listQueryOf(route: Route): ListQuery {
  const query = made.get(route) ?? makeListQuery(route);
  made.set(route, query);
  return query;
}

function makeListQuery(route: Route): ListQuery {
  const { shape } = route.query;
  // A filter or an order reveals a value. The organization only names the tenant.
  const hidden = new Set(['org_id', ...protectedFieldsOf(route), ...Object.keys(route.unfiltered ?? {})]);
  const byField = Object.entries(fieldsOf(route))
    .filter(([field]) => !hidden.has(field))
    .map(([field, schema]) => [field, filtersBy(field, schema)] as const);
  const filters = byField
    .flatMap(([, filters]) => Object.entries(filters))
    .filter(([name, { takesNull }]) => !(name in shape) || takesNull);
  const further = Object.entries(route.further?.() ?? {});
  const fields = byField.filter(([, filters]) => Object.keys(filters).length > 0).map(([field]) => field);
  const sorts = [...new Set([CREATED, ...fields])];
  return { filters: new Map([...filters, ...further]), sort: sortBy(sorts), sorts };
}

/** The fields of a list's records, or of those that a route counts. */
function fieldsOf({ response: { schema, counted } }: Route): Readonly<Record<string, z.ZodType>> {
  const record = counted?.schema ?? (schema as z.ZodObject<{ data: z.ZodArray<z.ZodObject> }>).shape.data.element;
  return (record as z.ZodObject).shape as Readonly<Record<string, z.ZodType>>;
}

/** Longest text of two fields, in characters. */
const MAX_SORT = 100;

/** One or two of these fields. */
function sortBy(fields: readonly string[]) {
  const error =
    'must be one or two of these, separated by a comma, with "-" before it for the highest first: ' +
    `${fields.join(', ')}`;
  const isKnown = (text: string): boolean => {
    const keys = text.split(',', 3).map((key) => key.replace(/^-/, ''));
    return keys.length <= 2 && new Set(keys).size === keys.length && keys.every((key) => fields.includes(key));
  };
  const pattern = '^-?[a-z_]{1,40}(,-?[a-z_]{1,40})?$';
  return bounded(MAX_SORT, error)
    .refine(isKnown, { error })
    .default(`-${CREATED}`)
    .meta(shownAs({ type: 'string', maxLength: MAX_SORT, pattern }));
}

/** The values that a request gives to its parameters, by name. */
type Given = Readonly<Record<string, readonly string[]>>;

/**
 * The query of a request as its route's schema parses it, with what its parameters say of a list's records, by name.
 * The schema has no more parameters than the request gives, but all where one of them is not known.
 * @throws Problem `invalid-parameter`
 * @example parseQuery(clients.routes.listClients, { page: ['2'] }).parsed.page // 2
 */
export function parseQuery(route: Route, given: Given) {
  let [schema, conditions]: [z.ZodObject, ReadonlyMap<string, Condition>] = [route.query, conditionsOf(route)];
  if (isSearchable(route) && Object.entries(given).some((each) => isBeyond(route, ...each))) {
    const { filters, sort } = listQueryOf(route);
    const isKnown = Object.keys(given).every((name) => Object.hasOwn(route.query.shape, name) || filters.has(name));
    const asked = [...filters].filter(([name]) => !isKnown || Object.hasOwn(given, name));
    const schemas = asked.map(([name, filter]) => [name, filter.schema] as const);
    const order = 'sort' in route.query.shape ? { sort } : {};
    schema = z.strictObject({ ...route.query.shape, ...Object.fromEntries(schemas), ...order });
    conditions = new Map<string, Condition>([...conditions, ...asked]);
  }
  return { parsed: parse(schema, givenTo(schema, given), 'query'), conditions };
}

/**
 * The values of parameters as the schema takes them.
 * @throws Problem `invalid-parameter` for one that is given more than once, and takes one value
 */
function givenTo({ shape }: z.ZodObject, query: Given): Record<string, unknown> {
  const parameters = Object.entries(query).map(([name, given]) => {
    const several = Object.hasOwn(shape, name) ? valuesIn(shape[name] as z.ZodType, given) : undefined;
    return { name, value: several ?? given[0], isRepeated: several === undefined && given.length > 1 };
  });
  const repeated = parameters.filter(({ isRepeated }) => isRepeated);
  if (repeated.length > 0) {
    throw new Problem('invalid-parameter', {
      errors: repeated.map(
        ({ name }): FieldError => ({ in: 'query', pointer: pointer([name]), detail: 'given more than once' }),
      ),
    });
  }
  return Object.fromEntries(parameters.map(({ name, value }) => [name, value]));
}

/** Whether what the route declares does not take these values. */
function isBeyond({ query }: Route, name: string, values: readonly string[]): boolean {
  if (!Object.hasOwn(query.shape, name)) return true;
  const schema = query.shape[name] as z.ZodType;
  if (name === 'sort') return !schema.safeParse(values[0]).success;
  return elementOf(schema) === undefined
    ? values.length === 1 && values[0] === NULL
    : values.some((text) => text.split(',').includes(NULL));
}

const known = new WeakMap<Route, ReadonlyMap<string, Condition>>();

/** What the parameters that a list declares say of records, by name. */
export function conditionsOf(route: Route): ReadonlyMap<string, Condition> {
  const conditions = known.get(route) ?? new Map(filtersOf(route).map((name) => [name, conditionOf(route, name)]));
  known.set(route, conditions);
  return conditions;
}

function conditionOf(route: Route, name: string): Condition {
  if (name === WORDS) return { field: WORDS, as: 'words' };
  const list = listOfElement(name);
  if (list !== undefined) return { field: list, as: 'allOf' };
  for (const field of ordersOf(route)) {
    const { after, before } = rangeNames(field);
    if (name === after) return { field, as: 'atLeast' };
    if (name === before) return { field, as: 'before' };
  }
  return { field: name, as: 'anyOf' };
}

/**
 * The field that a parameter of a list is about: `due_at` of `due_before`.
 * @returns the parameter's own name where the list has no such filter
 * @example filteredField(tickets.routes.listTickets, 'last_activity_before') // last_activity_at
 */
export const filteredField = (route: Route, name: string): string =>
  isSearchable(route) ? ((conditionsOf(route).get(name) ?? listQueryOf(route).filters.get(name))?.field ?? name) : name;

/** The parameters of a list that {@link isSearchable}, as the document has them, and which of them work at any size. */
export function listParametersOf(route: Route) {
  const { filters, sort, sorts } = listQueryOf(route);
  const creation = CREATION_FIELDS.filter((field) => sorts.includes(field));
  const isOfCreation = ({ field, as }: Condition): boolean => CREATION_FIELDS.includes(field) && as !== 'anyOf';
  const declared = filtersOf(route).map((name) => ({ name, schema: takingNull(route, name), isAnySize: true }));
  const derived = [...filters]
    .filter(([name]) => !(name in route.query.shape))
    .map(([name, filter]) => ({ name, schema: filter.schema, isAnySize: isOfCreation(filter) }));
  return { filters: [...declared, ...derived], sort: { schema: sort, anySize: [...creation, ...ordersOf(route)] } };
}

/** A filter that the route declares. Of a field that may be null, it takes that too, for small lists. */
function takingNull(route: Route, name: string): z.ZodType {
  const declared = route.query.shape[name] as z.ZodType;
  const filter = listQueryOf(route).filters.get(name);
  if (filter === undefined) return declared;
  const taking = elementOf(declared) === undefined ? declared : filter.schema;
  return taking.describe(`${declared.description} \`null\` for none, in small lists.`);
}
