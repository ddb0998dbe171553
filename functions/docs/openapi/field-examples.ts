import { isNode, mapValues, type Node, type OpenApi, operationsOf, schemaIn } from './nodes.ts';

/**
 * The values that the fields of each schema have in the examples of the routes: consoles and generated documentation
 * show a field by itself. What a body's example leaves out is taken from the response.
 */
export function fieldExamplesOf(document: OpenApi): ReadonlyMap<string, Node> {
  const examples = new Map<string, Node>();
  const learn = (schema: unknown, value: unknown): void => {
    const name = schemaIn(schema);
    if (name === undefined) {
      if (isNode(schema) && Array.isArray(value)) learn(schema.items, value[0]);
      return;
    }
    if (!isNode(value)) return;
    const known = examples.get(name) ?? {};
    const more = Object.entries(value).filter(([field, each]) => each !== null || !(field in known));
    examples.set(name, { ...Object.fromEntries(more), ...withoutNull(known) });
    const { properties } = document.components.schemas?.[name] ?? {};
    for (const [field, property] of Object.entries(Object(properties))) learn(property, value[field]);
  };
  for (const { requestBody, responses } of operationsOf(document)) {
    const received = Object.values(responses).flatMap(mediaOf);
    for (const { schema, example } of received) learn(schema, example);
    for (const { schema, example } of mediaOf(requestBody))
      learn(schema, { ...withoutNull(received[0]?.example), ...withoutNull(example) });
  }
  for (const { schema, example } of Object.values(document.components.responses ?? {}).flatMap(mediaOf))
    learn(schema, example);
  return examples;
}

const withoutNull = (value: unknown): Node =>
  isNode(value) ? Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null)) : {};

/** The media types of a body or response, once for each example. */
const mediaOf = (part: unknown): { readonly schema: unknown; readonly example: unknown }[] =>
  Object.values<Node>(Object(isNode(part) ? part.content : undefined)).flatMap(({ schema, example, examples }) =>
    isNode(examples)
      ? Object.values(examples).map((each) => ({ schema, example: Object(each).value }))
      : [{ schema, example }],
  );

/** The schema with these values as the examples of its fields. */
export function withFieldExamples(schema: Node, example: Node): Node {
  if (!isNode(schema.properties)) return schema;
  const properties = mapValues(schema.properties, (property, field) => {
    if (!isNode(property)) return property;
    const value = example[field];
    if (isNode(property.properties)) return withFieldExamples(property, isNode(value) ? value : {});
    return isShown(property, value) ? { ...property, examples: [value] } : property;
  });
  return { ...schema, properties };
}

/**
 * A reference has its example in the other schema, a constant needs none, and a body may take fewer values than a
 * response has.
 */
const isShown = (property: Node, value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  !('$ref' in property || 'const' in property) &&
  (!Array.isArray(property.enum) || property.enum.includes(value)) &&
  schemaIn(property.items) === undefined;
