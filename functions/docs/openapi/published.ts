import { fieldExamplesOf, withFieldExamples } from './field-examples.ts';
import {
  isNode,
  mapValues,
  type Node,
  type OpenApi,
  operationsOf,
  rewritten,
  schemaIn,
  schemasReachedFrom,
} from './nodes.ts';
import { sharedParameters } from './shared-parameters.ts';

/**
 * The document in the form that suits generators, linters and consoles best: clients are made from it. Only the form
 * of what the contracts declare changes (`docs/decisions/0040`).
 * @throws TypeError for a schema of both a request and a response: requests are closed, and responses open
 */
export function published(document: OpenApi): OpenApi {
  const { schemas: declared = {}, ...others } = document.components;
  const { parameters, withReferences } = sharedParameters(document);
  const paths = mapValues(document.paths, (item) =>
    mapValues(item, (operation) => ({
      ...withReferences(operation),
      responses: mapValues(operation.responses, (response) => withoutShownExamples(response, declared)),
    })),
  );
  const schemas = publishedSchemas(document);
  const components = { ...others, parameters };
  // The schemas come last, in the order of use: a record beside what it is made from, and gzip finds repetitions.
  const used = schemasReachedFrom({ ...document, components: { ...components, schemas } }, paths);
  const named = [...used, ...Object.keys(schemas)].map((name) => [TAKEN[name] ?? name, schemas[name] as Node]);
  const made = { ...document, paths, components: { ...components, schemas: Object.fromEntries(named) } };
  return rewritten(made, withSafeReference) as OpenApi;
}

/**
 * Names of records that generators use otherwise: with a schema `Client`, the Go code of oapi-codegen has two types of
 * that name and does not compile.
 */
const TAKEN: Readonly<Record<string, string>> = { Client: 'ClientRecord' };

function withSafeReference(node: Node): Node {
  const safe = TAKEN[schemaIn(node) ?? ''];
  return safe === undefined ? node : { ...node, $ref: `#/components/schemas/${safe}` };
}

function publishedSchemas(document: OpenApi): Record<string, Node> {
  const { sent, received } = usesOf(document);
  const examples = fieldExamplesOf(document);
  return mapValues(document.components.schemas ?? {}, (schema, name) => {
    const described = withFieldExamples({ ...descriptionOf(name, schema), ...schema }, examples.get(name) ?? {});
    const change = sent.has(name) ? withDefaultInWords : received.has(name) ? opened : (node: Node) => node;
    return rewritten(described, (node) => withOrderedKeywords(change(node))) as Node;
  });
}

/** The schemas of bodies that are sent, and those of responses. */
function usesOf(document: OpenApi) {
  const operations = operationsOf(document);
  const reached = (parts: unknown) => schemasReachedFrom(document, parts);
  const received = reached([operations.map(({ responses }) => responses), document.components.responses]);
  const asked = reached(operations.map(({ requestBody, parameters }) => [requestBody, parameters]));
  const both = [...received].filter((name) => asked.has(name));
  if (both.length > 0) throw new TypeError(`${both.join(', ')}: a request and a response have a schema in common`);
  return { sent: reached(operations.map(({ requestBody }) => requestBody)), received };
}

/**
 * Moves a default into the description. A property with the keyword `default` is never absent in the types of
 * openapi-typescript, not even in those of a body that the caller writes. Parameters keep theirs.
 */
function withDefaultInWords(schema: Node): Node {
  if (!('default' in schema) || !('type' in schema || 'anyOf' in schema) || isNode(schema.type)) return schema;
  const { default: standard, description, ...rest } = schema;
  const value = typeof standard === 'string' && standard !== '' ? standard : JSON.stringify(standard);
  const sentence = `Default: ${standard === null ? 'null' : `\`${value}\``}.`;
  return { ...rest, description: description === undefined ? sentence : `${description} ${sentence}` };
}

/** Longest value that a later release may add to a set. */
const MAX_VALUE = 200;

/**
 * Opens a schema of responses for later releases: new fields of objects, and new values where a set is closed today.
 * Tests check responses against the contracts themselves (`test/support/conformance.ts`).
 */
function opened(schema: Node): Node {
  // A response leaves nothing out, so no field has a default.
  const { additionalProperties, enum: values, default: _, const: only, ...others } = schema;
  // openapi-generator's Python takes the only value of a boolean for a text, and then refuses `true`.
  const shown = typeof only === 'string' ? { const: only } : { examples: [only] };
  const isKept = additionalProperties === true || (isNode(additionalProperties) && 'type' in additionalProperties);
  return {
    ...others,
    ...(only === undefined ? {} : shown),
    ...(isKept ? { additionalProperties } : {}),
    ...(Array.isArray(values)
      ? { maxLength: MAX_VALUE, 'x-extensible-enum': values.filter((value) => value !== null) }
      : {}),
  };
}

/** Keywords of a schema in the order in which they are written; others come last. */
const KEYWORDS = [
  ...['$ref', 'readOnly', 'type', 'format', 'const', 'enum', 'x-extensible-enum', 'pattern', 'minimum', 'maximum'],
  ...['minLength', 'maxLength', 'uniqueItems', 'maxItems', 'items', 'properties', 'required', 'additionalProperties'],
  ...['examples', 'description'],
];

const rankOf = new Map(KEYWORDS.map((keyword, rank) => [keyword, rank]));

/** A field that a record, its creation and its change have is then the same text in all three. */
function withOrderedKeywords(schema: Node): Node {
  const rank = (keyword: string): number => rankOf.get(keyword) ?? KEYWORDS.length;
  return Object.fromEntries(Object.entries(schema).toSorted(([one], [other]) => rank(one) - rank(other)));
}

/** A response without the example of a schema that has one of each field: consoles make the same one from these. */
function withoutShownExamples(response: Node, schemas: Readonly<Record<string, Node>>): Node {
  if (!isNode(response.content)) return response;
  const content = mapValues(response.content, (media) => {
    const name = isNode(media) ? schemaIn(media.schema) : undefined;
    if (!isNode(media) || name === undefined || !('properties' in (schemas[name] ?? {}))) return media;
    const { example: _, ...rest } = media;
    return rest;
  });
  return { ...response, content };
}

const DERIVED: readonly (readonly [suffix: string, text: (record: string) => string])[] = [
  ['Create', (record) => `What a new ${record} is made from: only what is required has to be there.`],
  ['Patch', (record) => `What to change of a ${record}: fields that are left out stay as they are.`],
  ['Upsert', (record) => `What a new ${record} is made from, or an existing one gets: that keeps what is left out.`],
  ['Page', (record) => `A part of a list, each element a ${record}, with the length of the whole.`],
  ['List', (record) => `The beginning of a list, or what follows a cursor; each element a ${record}.`],
];

/**
 * Describes a schema that is derived from a record's: `ServiceActionCreate` is what a new service action is made
 * from.
 */
function descriptionOf(name: string, { properties }: Node): Node {
  const [suffix = '', text] = DERIVED.find(([end]) => name.endsWith(end)) ?? [];
  if (text === undefined) return {};
  const record = name.slice(0, -suffix.length).replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`);
  const hasFixed = Object.values(Object(properties)).some((field) => isNode(field) && field.readOnly === true);
  const fixed = hasFixed ? ' Read-only fields are left out, or as they were read.' : '';
  return { description: `${text(record.toLowerCase())}${fixed}` };
}
