import { type Node, type OpenApi, rewritten } from './nodes.ts';

/**
 * Names of records under which generators know something of their own: with a schema `Client`, what oapi-codegen makes for Go has two types of
 * that name and does not compile.
 */
const TAKEN: Readonly<Record<string, string>> = { Client: 'ClientRecord' };

export function withSafeNames(document: OpenApi): OpenApi {
  const { schemas = {} } = document.components;
  const renamed = Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [TAKEN[name] ?? name, schema]));
  return rewritten({ ...document, components: { ...document.components, schemas: renamed } }, toSafeName) as OpenApi;
}

function toSafeName(node: Node): Node {
  if (typeof node.$ref !== 'string') return node;
  const [, name = ''] = /^#\/components\/schemas\/(\w+)$/.exec(node.$ref) ?? [];
  const safe = TAKEN[name];
  return safe === undefined ? node : { ...node, $ref: `#/components/schemas/${safe}` };
}
