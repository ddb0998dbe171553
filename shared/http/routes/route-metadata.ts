import * as z from 'zod';
import type { Route } from '#contract';
import { filtersOf, isUuidSchema } from '#contract/derived';
import { lazily } from '../../lazily.ts';

/**
 * What most requests need to know of a route's schemas, as plain data: a request that only reads is served without building a schema. It is
 * derived from the schemas; a bundle brings it along, derived when it was made (`infra/bundling/route-metadata.ts`, `docs/decisions/0054`).
 */
export interface RouteMetadata {
  /** Path parameters that are UUIDs: any other value than such a text is left to the schema. */
  readonly uuids: readonly string[];
  /** How many parameters the path has. */
  readonly parameters: number;
  /** What a query without parameters is parsed as; null where it is invalid. */
  readonly emptyQuery: Readonly<Record<string, unknown>> | null;
  /** The parameters by which its list can be filtered. */
  readonly filters: readonly string[];
  /** What is returned; null: no body. */
  readonly response: Projection | null;
}

/** How a value is returned: with these fields alone, each by its own projection; or as a list of such elements; or as it is. */
export interface Projection {
  /** In place of a value that is missing; absent: it stays missing. */
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

/** The metadata of a route by its schemas, which are built as far as they are asked for. */
export function derivedMetadata(route: Route): RouteMetadata {
  const uuids = lazily(() => Object.keys(route.params.shape).filter((name) => isUuidSchema(route.params.shape[name])));
  const emptyQuery = lazily(() => route.query.safeParse({}).data ?? null);
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
      return filtersOf(route);
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
  // An optional field that is missing stays away.
  const standard: unknown = schema instanceof z.ZodOptional ? undefined : (schema.meta()?.default ?? null);
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries<z.ZodType>(schema.shape).map(([name, field]) => [name, projectionOf(field)] as const);
    return { standard, fields: Object.fromEntries(fields) };
  }
  return schema instanceof z.ZodArray ? { standard, element: projectionOf(schema.element as z.ZodType) } : { standard };
}
