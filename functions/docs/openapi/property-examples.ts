import { isNode, mapValues, type Node, type OpenApi, operationsOf } from './nodes.ts';

/**
 * Gives each property the value that it has in the examples of the routes: consoles and generated documentation show a property by itself. What a
 * body's example leaves out is taken from the response.
 */
export function withPropertyExamples(document: OpenApi): OpenApi {
  const examples = new Map<string, Node>();
  const learn = (schema: unknown, value: unknown): void => {
    if (!isNode(schema)) return;
    const component = nameOf(schema);
    if (component === undefined) {
      if (Array.isArray(value)) learn(schema.items, value[0]);
      return;
    }
    if (!isNode(value)) return;
    const known = examples.get(component) ?? {};
    const more = Object.entries(value).filter(([field, each]) => each !== null || !(field in known));
    examples.set(component, { ...Object.fromEntries(more), ...withoutNull(known) });
    const { properties } = document.components.schemas?.[component] ?? {};
    if (!isNode(properties)) return;
    for (const [field, property] of Object.entries(properties)) learn(property, value[field]);
  };
  for (const { requestBody, responses } of operationsOf(document)) {
    const inResponses = Object.values(responses).flatMap(mediaOf);
    for (const { schema, example } of inResponses) learn(schema, example);
    for (const { schema, example } of mediaOf(requestBody)) {
      learn(schema, { ...withoutNull(inResponses[0]?.example), ...withoutNull(example) });
    }
  }
  for (const { schema, example } of Object.values(document.components.responses ?? {}).flatMap(mediaOf))
    learn(schema, example);
  const { schemas = {} } = document.components;
  return {
    ...document,
    components: {
      ...document.components,
      schemas: mapValues(schemas, (schema, name) => withExamples(schema, examples.get(name) ?? {})),
    },
  };
}

const nameOf = ({ $ref }: Node): string | undefined => (typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined);

const withoutNull = (value: unknown): Node =>
  isNode(value) ? Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null)) : {};

/** The media types of a body or response, each with one example of it. */
const mediaOf = (part: unknown): { readonly schema: unknown; readonly example: unknown }[] =>
  isNode(part) && isNode(part.content)
    ? Object.values(part.content)
        .filter(isNode)
        .flatMap(({ schema, example, examples }) =>
          isNode(examples)
            ? Object.values(examples).map((each) => ({ schema, example: isNode(each) ? each.value : undefined }))
            : [{ schema, example }],
        )
    : [];

function withExamples(schema: Node, example: Node): Node {
  if (!isNode(schema.properties)) return schema;
  const properties = mapValues(schema.properties, (property, field) => {
    if (!isNode(property)) return property;
    const value = example[field];
    if (isNode(property.properties)) return withExamples(property, isNode(value) ? value : {});
    return isShown(property, value) ? { ...property, examples: [value] } : property;
  });
  return { ...schema, properties };
}

/** A reference has its example in the other schema, a constant needs none, and a body may take fewer values than a response has. */
const isShown = (property: Node, value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  !['$ref', 'const'].some((keyword) => keyword in property) &&
  (!Array.isArray(property.enum) || property.enum.includes(value)) &&
  !(isNode(property.items) && '$ref' in property.items);
