/** Completes and simplifies the generated schemas: adds formats that linters and client generators ask for, and shortens nullable types. */

type Node = Record<string, unknown>;

const MAX_INT32 = 2_147_483_647;

/** Members that hold data and not schemas. A property with such a name is a child of `properties`, and a schema. */
const DATA = new Set(['example', 'examples', 'value', 'default', 'enum', 'const']);

/** The document with every schema in it finished. */
export function tidy(node: unknown, parent = ''): unknown {
  if (Array.isArray(node)) return node.map((element) => tidy(element));
  if (!isNode(node)) return node;
  const isNamed = parent === 'properties';
  const members = Object.entries(node).map(([key, member]) => [
    key,
    DATA.has(key) && !isNamed ? member : tidy(member, isNamed ? '' : key),
  ]);
  return isNamed ? Object.fromEntries(members) : finished(inlineNull(Object.fromEntries(members)));
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);

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
