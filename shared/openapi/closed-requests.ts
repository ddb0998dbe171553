import { isNode, mapValues, type Node, type OpenApi, operationsOf, rewritten, schemasReachedFrom } from './nodes.ts';

/**
 * Says the defaults of request bodies in words. A property with the keyword `default` is never absent in the types of openapi-typescript, not even
 * in those of a body that the caller writes, so that the smallest creation would not compile (`docs/decisions/0040`). Parameters keep theirs.
 */
export function closedRequests(document: OpenApi): OpenApi {
  const asked = schemasReachedFrom(
    document,
    operationsOf(document).map(({ requestBody }) => requestBody),
  );
  const { schemas = {} } = document.components;
  return {
    ...document,
    components: {
      ...document.components,
      schemas: mapValues(schemas, (schema, name) => (asked.has(name) ? (rewritten(schema, inWords) as Node) : schema)),
    },
  };
}

function inWords(schema: Node): Node {
  if (!('default' in schema) || !isSchema(schema)) return schema;
  const { default: standard, description, ...rest } = schema;
  const words =
    standard === null
      ? 'null'
      : `\`${typeof standard === 'string' && standard !== '' ? standard : JSON.stringify(standard)}\``;
  return { ...rest, description: [description, `Default: ${words}.`].filter((text) => text !== undefined).join(' ') };
}

const isSchema = (node: Node): boolean => 'type' in node && !isNode(node.type);
