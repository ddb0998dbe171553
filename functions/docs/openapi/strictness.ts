import { isNode, mapValues, type Node, type OpenApi, operationsOf, rewritten, schemasReachedFrom } from './nodes.ts';

/**
 * Moves the defaults of request bodies into descriptions. A property with the keyword `default` is never absent in the
 * types of openapi-typescript, not even in those of a body that the caller writes, so that the smallest creation would
 * not compile (`docs/decisions/0040`). Parameters keep theirs.
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

/**
 * Opens the schemas of responses for additions of later releases, so that existing clients continue to work
 * (`docs/decisions/0040`): new fields of objects, and new values where a set is closed today. Tests check responses
 * against the contracts themselves (`test/support/conformance.ts`).
 * @throws TypeError for a schema that requests use too: those stay closed
 */
export function openResponses(document: OpenApi): OpenApi {
  const responses = [operationsOf(document).map((operation) => operation.responses), document.components.responses];
  const inResponses = schemasReachedFrom(document, responses);
  const asked = schemasReachedFrom(
    document,
    operationsOf(document).map(({ requestBody, parameters }) => [requestBody, parameters]),
  );
  const both = [...inResponses].filter((name) => asked.has(name));
  if (both.length > 0) throw new TypeError(`${both.join(', ')}: a request and a response have a schema in common`);
  const { schemas = {} } = document.components;
  return {
    ...document,
    components: {
      ...document.components,
      schemas: mapValues(schemas, (schema, name) =>
        inResponses.has(name) ? (rewritten(schema, opened) as Node) : schema,
      ),
    },
  };
}

/** Longest value that may be added to a set. */
const MAX_VALUE = 200;

function opened(schema: Node): Node {
  // A response leaves nothing out, so no field has a default.
  const { additionalProperties, enum: values, default: _, const: only, ...others } = schema;
  // openapi-generator's Python takes the only value of a boolean for a text, and then refuses `true`.
  const shown = typeof only === 'string' ? { const: only } : { examples: [only] };
  const rest = only === undefined ? others : { ...others, ...shown };
  const isKept = additionalProperties === true || (isNode(additionalProperties) && 'type' in additionalProperties);
  const objects = isKept ? { additionalProperties } : {};
  if (!Array.isArray(values)) return { ...rest, ...objects };
  return { ...rest, maxLength: MAX_VALUE, 'x-extensible-enum': values.filter((value) => value !== null) };
}
