import * as z from 'zod';
import { filtersAndOrdersOf, isUuidSchema, type parseQuery, type Route } from '#contract';
import type { PageQuery } from '#table';
import { lazily } from '../memory.ts';
import { containing, havingDigits } from '../words.ts';

/**
 * The facts about a route's schemas that most requests need, as plain data: a read is served without building a schema.
 * They are derived from the schemas, for a bundle when it is made (`infra/bundling/static-modules.ts`,
 * `docs/decisions/0054`).
 */
export interface RouteMetadata {
  /** Path parameters that are UUIDs. The schema handles other values. */
  readonly uuids: readonly string[];
  /** How many parameters the path has. */
  readonly parameters: number;
  /** The parsed value of a query without parameters, as storage takes that of a list; null where it is invalid. */
  readonly emptyQuery: Readonly<Record<string, unknown>> | null;
  /** What its list can be filtered and sorted by: `status`, `sort=last_activity_at`. */
  readonly filters: readonly string[];
  /** The projection of the response; null: no body. */
  readonly response: Projection | null;
}

/**
 * How a value is returned: only with these fields, each by its own projection; or as a list of such elements; or
 * unchanged.
 */
export interface Projection {
  /** The default of a missing value; absent: it stays missing. */
  readonly standard: unknown;
  readonly fields?: Readonly<Record<string, Projection>>;
  readonly element?: Projection;
}

const known = new WeakMap<Route, RouteMetadata>();

/** The metadata of a route. */
export function metadataOf(route: Route): RouteMetadata {
  const metadata = known.get(route) ?? derivedMetadata(route);
  known.set(route, metadata);
  return metadata;
}

/** Takes over the precompiled metadata of these routes, by operation id. */
export function usePrecompiledMetadata(
  routes: Readonly<Record<string, Route>>,
  precompiled: Readonly<Record<string, RouteMetadata>>,
): void {
  for (const [operationId, route] of Object.entries(routes)) {
    const metadata = precompiled[operationId];
    if (metadata !== undefined) known.set(route, metadata);
  }
}

/**
 * Builds the schemas of these operations' bodies now, and not with their first request. The first value compiles a
 * schema.
 */
export function buildBodies(routes: Readonly<Record<string, Route>>, operationIds: readonly string[]): void {
  for (const operationId of operationIds) routes[operationId]?.body?.schema.safeParse({});
}

/** The metadata of a route, derived from its schemas. Builds only the schemas that are used. */
export function derivedMetadata(route: Route): RouteMetadata {
  const uuids = lazily(() => Object.keys(route.params.shape).filter((name) => isUuidSchema(route.params.shape[name])));
  const emptyQuery = lazily(() => {
    const { data } = route.query.safeParse({});
    return data === undefined ? null : listed(data);
  });
  const response = lazily(() => (route.response.schema === undefined ? null : projectionOf(route.response.schema)));
  return {
    parameters: route.path.split('{').length - 1,
    get uuids() {
      return uuids();
    },
    get emptyQuery() {
      return emptyQuery();
    },
    get filters() {
      return filtersAndOrdersOf(route);
    },
    get response() {
      return response();
    },
  };
}

const ofSchemas = new WeakMap<z.ZodType, Projection>();

/** How values of this schema are returned. */
export function projectionOf(schema: z.ZodType): Projection {
  const projection = ofSchemas.get(schema) ?? derivedProjection(schema);
  ofSchemas.set(schema, projection);
  return projection;
}

function derivedProjection(schema: z.ZodType): Projection {
  // A missing optional field stays missing.
  const standard: unknown = schema instanceof z.ZodOptional ? undefined : (schema.meta()?.default ?? null);
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries<z.ZodType>(schema.shape).map(([name, field]) => [name, projectionOf(field)] as const);
    return { standard, fields: Object.fromEntries(fields) };
  }
  return schema instanceof z.ZodArray ? { standard, element: projectionOf(schema.element as z.ZodType) } : { standard };
}

type Present = (value: unknown) => unknown;

/** Made once for each projection. */
const made = new WeakMap<Projection, Present>();

/**
 * The value with exactly the fields of its schema: other fields are left out, missing ones get their default or null.
 * @example present(projectionOf(client.schema), stored.record)
 */
export const present = (projection: Projection, value: unknown): unknown => presenterOf(projection)(value);

function presenterOf(projection: Projection): Present {
  const known = made.get(projection) ?? make(projection);
  made.set(projection, known);
  return known;
}

function make({ standard, fields, element }: Projection): Present {
  const asItIs: Present = (value) => (value === undefined ? standard : value);
  if (fields !== undefined) return objectOf(fields, asItIs);
  return element === undefined ? asItIs : arrayOf(presenterOf(element), asItIs);
}

function objectOf(shape: Readonly<Record<string, Projection>>, otherwise: Present): Present {
  const fields = Object.entries(shape).map(([name, projection]) => [name, presenterOf(projection)] as const);
  return (value) => {
    if (typeof value !== 'object' || value === null) return otherwise(value);
    const projected: Record<string, unknown> = {};
    for (const [name, field] of fields) projected[name] = field((value as Record<string, unknown>)[name]);
    return projected;
  };
}

const arrayOf =
  (element: Present, otherwise: Present): Present =>
  (value) =>
    Array.isArray(value) ? value.map(element) : otherwise(value);

/** The query of a list as storage takes it. */

type Where = NonNullable<PageQuery['where']>[number];
type SortKey = NonNullable<PageQuery['sort']>[number];

/** What parameters say of records, by name. */
type Conditions = ReturnType<typeof parseQuery>['conditions'];

/** A parsed query; that of a list with its filters as conditions, and its order as fields. */
export function listed(
  parsed: Readonly<Record<string, unknown>>,
  conditions: Conditions = new Map(),
): Record<string, unknown> {
  const { sort, ...others } = parsed;
  if (sort === undefined && others.group_by === undefined) return others;
  const kept = Object.entries(others).filter(([name]) => !conditions.has(name));
  const order = sort === undefined ? {} : { sort: keysOf(String(sort)) };
  return { ...Object.fromEntries(kept), where: whereOf(others, conditions), ...order };
}

function whereOf(parsed: Readonly<Record<string, unknown>>, conditions: Conditions): readonly Where[] {
  const where: Where[] = [];
  const ranges: Ranges = {};
  for (const [name, { field, as }] of conditions) {
    const value = parsed[name];
    if (value === undefined) continue;
    const test = TESTS[as];
    if (as === 'words') where.push({ words: String(value) });
    else if (test !== undefined) where.push({ field, accepts: test(value as never) });
    else if (as === 'anyOf' || as === 'allOf') where.push({ field, [as]: [value].flat() } as unknown as Where);
    else where.push(...bounded(ranges, field, { [as === 'atLeast' ? 'from' : as]: value }));
  }
  return [...where, ...Object.values(ranges)];
}

/** What only the records decide. */
const TESTS: Partial<Record<string, (wanted: never) => (value: unknown) => boolean>> = {
  contains: containing,
  digits: havingDigits,
};

type Ranges = Record<string, Where & { readonly field: string }>;

/** Adds a bound to the range of its field. @returns a range of its own where another parameter has set that bound */
function bounded(ranges: Ranges, field: string, bound: object): readonly Where[] {
  const range = ranges[field] ?? { field };
  if (Object.keys(bound).some((name) => name in range)) return [{ field, ...bound }];
  ranges[field] = { ...range, ...bound };
  return [];
}

/** `-priority,name`: by priority, the highest first, then by name. */
const keysOf = (sort: string): readonly SortKey[] =>
  sort.split(',').map((key) => ({ field: key.replace(/^-/, ''), descending: key.startsWith('-') }));
