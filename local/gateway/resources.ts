import { type Contract, methodsOf, type Route } from '#contract';

/** A route and the function that serves it. */
export interface ServedMethod {
  readonly route: Route;
  readonly functionName: string;
}

export interface GatewayResource {
  /** As declared: `/api/v1/clients/{id}`. */
  readonly path: string;
  /** By HTTP method; empty where a path only leads on to others. */
  readonly methods: ReadonlyMap<string, ServedMethod>;
}

export interface Match {
  readonly resource: GatewayResource;
  /** As sent, still percent-encoded, as REST APIs pass them. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** One segment of a path, as sent and decoded. */
export interface Segment {
  readonly raw: string;
  readonly decoded: string;
}

interface Node {
  readonly path: string;
  readonly methods: Map<string, ServedMethod>;
  readonly literals: Map<string, Node>;
  variable?: { readonly name: string; readonly node: Node };
  proxy?: { readonly name: string; readonly node: Node };
}

/** The segments of a path. Slashes at its beginning and end are ignored. */
export function splitPath(path: string): readonly string[] {
  const segments = path.split('/');
  const isNamed = (segment: string): boolean => segment !== '';
  return segments.slice(Math.max(0, segments.findIndex(isNamed)), segments.findLastIndex(isNamed) + 1);
}

export type FindResource = (segments: readonly Segment[]) => Match | undefined;

/**
 * The tree of resources that API Gateway makes of the routes.
 * A literal segment takes precedence over `{x}`, and `{x}` over `{proxy+}`. The method plays no part in the choice.
 * @throws TypeError when two contracts declare the same route, or name the same variable segment differently, which API
 *   Gateway refuses
 */
export function resourceTree(contracts: readonly Contract[]): FindResource {
  const root = newNode('');
  for (const { name, routes } of contracts) {
    for (const route of Object.values(routes)) add(root, route, name);
  }
  return (segments) => {
    const found = find(root, segments, []);
    return found && { resource: found.node, pathParameters: Object.fromEntries(found.parameters) };
  };
}

const newNode = (path: string): Node => ({ path, methods: new Map(), literals: new Map() });

function add(root: Node, route: Route, functionName: string): void {
  const node = route.path.split('/').slice(1).reduce(child, root);
  if (node.methods.has(route.method)) throw new TypeError(`${route.method} ${route.path} is declared twice`);
  for (const method of methodsOf(route)) node.methods.set(method, { route, functionName });
}

function child(parent: Node, segment: string): Node {
  const path = `${parent.path}/${segment}`;
  const [, name, plus] = /^\{(\w+)(\+?)\}$/.exec(segment) ?? [];
  if (name === undefined) {
    const node = parent.literals.get(segment) ?? newNode(path);
    parent.literals.set(segment, node);
    return node;
  }
  const kind = plus === '+' ? 'proxy' : 'variable';
  parent[kind] ??= { name, node: newNode(path) };
  if (parent[kind].name !== name) {
    throw new TypeError(`${path}: the same segment is called {${parent[kind].name}} elsewhere`);
  }
  return parent[kind].node;
}

type Parameters = readonly (readonly [name: string, value: string])[];

function find(
  node: Node,
  segments: readonly Segment[],
  parameters: Parameters,
): { node: Node; parameters: Parameters } | undefined {
  const [segment, ...rest] = segments;
  if (segment === undefined) return { node, parameters };
  // An empty segment (`//`) is no value for a variable.
  if (segment.raw === '') return undefined;
  const { variable, proxy } = node;
  const literal = node.literals.get(segment.decoded);
  return (
    (literal && find(literal, rest, parameters)) ??
    (variable && find(variable.node, rest, [...parameters, [variable.name, segment.raw]])) ??
    (proxy && { node: proxy.node, parameters: [...parameters, [proxy.name, segments.map(({ raw }) => raw).join('/')]] })
  );
}
