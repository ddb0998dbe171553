import { type Node, type OpenApi, rewritten } from './nodes.ts';

/**
 * Names of records that generators use for something else: with a schema `Client`, the Go code of oapi-codegen has two types of
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
