import * as z from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import type { Route } from '#contract';
import { filterNames, filtersOf, requestHeaders, takesHeader } from '#contract/derived';
import { elementOf, isSearchable, listQueryOf, ordersOf } from '#contract/lists';

type HeaderParameters = NonNullable<ZodOpenApiOperationObject['parameters']>;

/** Path, query and header parameters of a route's operation. */
export const parametersOf = (route: Route): Pick<ZodOpenApiOperationObject, 'requestParams' | 'parameters'> => ({
  requestParams: { path: route.params, query: queryOf(route) },
  parameters: [
    ...impliedHeaders(route).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...declaredHeaders(route),
  ],
});

/** Marks which parameters of a list work at any size (`x-list-size`), and which orders do (`x-any-size`). */
function queryOf(route: Route): z.ZodObject {
  if (!isSearchable(route)) return route.query;
  const { filters, sort, sorts } = listQueryOf(route);
  const { shape } = route.query;
  const declared = filtersOf(route).map((name) => [name, sized(takingNull(route, name), 'any')] as const);
  const others = [...filters].filter(([name]) => !(name in shape));
  const creation = filterNames.CREATION_FIELDS.filter((field) => sorts.includes(field));
  const ranges = creation.flatMap((field) => Object.values(filterNames.rangeNames(field)));
  const orders = [...creation, ...ordersOf(route)];
  const sorted = sort.meta({ description: sortSentence(orders), param: { 'x-any-size': orders } });
  return z.strictObject({
    ...shape,
    ...Object.fromEntries(declared),
    ...Object.fromEntries(
      others.map(([name, { schema }]) => [name, sized(schema, ranges.includes(name) ? 'any' : 'small')]),
    ),
    sort: sorted,
  });
}

const sortSentence = (orders: readonly string[]): string =>
  `One field, or two separated by a comma, each with \`-\` before it for the highest first. Records without a value come last. At any size: ${orders.map((order) => `\`${order}\``).join(', ')}. Small lists: every other field that has a filter.`;

/** A filter that the route declares. Of a field that may be null, it takes that too, for small lists. */
function takingNull(route: Route, name: string): z.ZodType {
  const declared = route.query.shape[name] as z.ZodType;
  const filter = listQueryOf(route).filters.get(name);
  if (filter === undefined) return declared;
  const taking = elementOf(declared) === undefined ? declared : filter.schema;
  return taking.describe(`${declared.description} \`null\` for none, in small lists.`);
}

const sized = (schema: z.ZodType, size: 'any' | 'small'): z.ZodType =>
  schema.meta({ ...schema.meta(), param: { ...schema.meta()?.param, 'x-list-size': size } });

const impliedHeaders = (route: Route) =>
  (Object.keys(requestHeaders) as (keyof typeof requestHeaders)[]).filter((name) => takesHeader(route, name));

const declaredHeaders = (route: Route): HeaderParameters =>
  Object.entries(route.headers ?? {}).map(([name, { description, required, ...schema }]) => ({
    name,
    in: 'header',
    description,
    required,
    schema: { type: 'string', ...schema },
  }));
