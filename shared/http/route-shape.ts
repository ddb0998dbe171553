import * as z from 'zod';
import { isUuidSchema } from '../contract/fields.ts';
import { lazily } from '../contract/lazily.ts';
import type { Route } from '../contract/route.ts';
import { filtersOf } from '../contract/traits.ts';

/**
 * What most requests need to know of a route's schemas, as plain data: a request that only reads is answered without building a schema. It is
 * derived from the schemas; a bundle brings it along, derived when it was made (`infra/bundling/route-shapes.ts`, `docs/decisions/0129`).
 */
export interface RouteShape {
  /** Path parameters that are UUIDs: any other value than such a text is left to the schema. */
  readonly uuids: readonly string[];
  /** How many parameters the path has. */
  readonly parameters: number;
  /** What a query without parameters is parsed as; null where it is invalid. */
  readonly emptyQuery: Readonly<Record<string, unknown>> | null;
  /** The parameters by which its list can be filtered. */
  readonly filters: readonly string[];
  /** What is answered; null: no body. */
  readonly response: Shown | null;
}

/** How a value is answered: with these fields alone, each as it is shown; or as a list of such elements; or as it is. */
export interface Shown {
  /** In place of a value that is missing; absent: it stays missing. */
  readonly standard: unknown;
  readonly fields?: Readonly<Record<string, Shown>>;
  readonly element?: Shown;
}

const known = new WeakMap<Route, RouteShape>();

/** The shape of a route. */
export function shapeOf(route: Route): RouteShape {
  const shape = known.get(route) ?? derivedShape(route);
  known.set(route, shape);
  return shape;
}

/** Takes the shapes of these routes, by operation id, as given. */
export function presetShapes(
  routes: Readonly<Record<string, Route>>,
  shapes: Readonly<Record<string, RouteShape>>,
): void {
  for (const [operationId, route] of Object.entries(routes)) {
    const shape = shapes[operationId];
    if (shape !== undefined) known.set(route, shape);
  }
}

/** The shape of a route by its schemas, which are built as far as they are asked for. */
export function derivedShape(route: Route): RouteShape {
  const uuids = lazily(() => Object.keys(route.params.shape).filter((name) => isUuidSchema(route.params.shape[name])));
  const emptyQuery = lazily(() => route.query.safeParse({}).data ?? null);
  const response = lazily(() => (route.response.schema === undefined ? null : shownOf(route.response.schema)));
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

const ofSchemas = new WeakMap<z.ZodType, Shown>();

/** How values of this schema are answered. */
export function shownOf(schema: z.ZodType): Shown {
  const shown = ofSchemas.get(schema) ?? derivedShown(schema);
  ofSchemas.set(schema, shown);
  return shown;
}

function derivedShown(schema: z.ZodType): Shown {
  // An optional field that is missing stays away.
  const standard: unknown = schema instanceof z.ZodOptional ? undefined : (schema.meta()?.default ?? null);
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries<z.ZodType>(schema.shape).map(([name, field]) => [name, shownOf(field)] as const);
    return { standard, fields: Object.fromEntries(fields) };
  }
  return schema instanceof z.ZodArray ? { standard, element: shownOf(schema.element as z.ZodType) } : { standard };
}
