import { isNode, type Node, rewritten } from './nodes.ts';

/** Completes and simplifies the generated schemas: adds formats that linters and client generators ask for, and shortens nullable types. */

const MAX_INT32 = 2_147_483_647;

/** The document with every schema in it finished. */
export const tidy = (document: unknown): unknown => rewritten(document, (node) => finished(inlineNull(node)));

/** `anyOf: [{ type: 'string' }, { type: 'null' }]` becomes `type: ['string', 'null']`, unless the first is a reference. */
function inlineNull(schema: Node): Node {
  if (!Array.isArray(schema.anyOf) || schema.anyOf.length !== 2) return schema;
  const { anyOf, ...own } = schema;
  const [value, none] = anyOf as unknown[];
  if (!isNode(value) || !isNode(none) || none.type !== 'null' || typeof value.type !== 'string') return schema;
  return {
    ...value,
    ...own,
    type: [value.type, 'null'],
    ...(Array.isArray(value.enum) ? { enum: [...value.enum, null] } : {}),
  };
}

function finished(schema: Node): Node {
  const types = [schema.type].flat();
  const { minLength, ...rest } = schema;
  return {
    ...(minLength === 0 ? rest : schema),
    ...(types.includes('integer') ? { format: schema.format ?? integerFormat(schema.maximum) } : {}),
    ...(types.includes('number') ? { format: schema.format ?? 'double' } : {}),
  };
}

const integerFormat = (maximum: unknown): string =>
  typeof maximum === 'number' && maximum <= MAX_INT32 ? 'int32' : 'int64';
