import { isNode, mapValues, type Node, type OpenApi, rewritten, schemasReachedFrom, withOperations } from './nodes.ts';

/**
 * Makes the compressed document smaller without removing information (`docs/decisions/0040`). A repetition costs little
 * if it is word for word and within gzip's window of 32 KB.
 */
export const compactDocument = (document: OpenApi): OpenApi =>
  inOrderOfUse(withOrderedKeywords(withoutShownExamples(document)));

/** Removes the example of a response whose schema has an example of every field: consoles build the same example from these. */
function withoutShownExamples(document: OpenApi): OpenApi {
  const { schemas = {} } = document.components;
  const isShown = ({ schema }: Node): boolean =>
    isNode(schema) && typeof schema.$ref === 'string' && 'properties' in Object(schemas[nameIn(schema.$ref)]);
  const withoutShown = (media: unknown): unknown => {
    if (!isNode(media) || !isShown(media)) return media;
    const { example: _, ...rest } = media;
    return rest;
  };
  return withOperations(document, (operation) => ({
    ...operation,
    responses: mapValues(operation.responses, (response) =>
      isNode(response.content) ? { ...response, content: mapValues(response.content, withoutShown) } : response,
    ),
  }));
}

const nameIn = (reference: string): string => reference.slice('#/components/schemas/'.length);

/** Keywords of a schema in the order in which they are written; others come last. */
const KEYWORDS = [
  '$ref',
  'readOnly',
  'type',
  'format',
  'const',
  'enum',
  'x-extensible-enum',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'uniqueItems',
  'maxItems',
  'items',
  'properties',
  'required',
  'additionalProperties',
  'examples',
  'description',
];

const rankOf = new Map(KEYWORDS.map((keyword, rank) => [keyword, rank]));

/** A field that a record, its creation and its change have is then the same text in all three. */
function withOrderedKeywords(document: OpenApi): OpenApi {
  const rank = (keyword: string): number => rankOf.get(keyword) ?? KEYWORDS.length;
  const ordered = (schema: Node): Node =>
    Object.fromEntries(Object.entries(schema).toSorted(([one], [other]) => rank(one) - rank(other)));
  return withSchemas(document, (schemas) => mapValues(schemas, (schema) => rewritten(schema, ordered) as Node));
}

/** Schemas in the order in which the operations name them: a record beside what it is made from, and in reading order. */
const inOrderOfUse = (document: OpenApi): OpenApi =>
  withSchemas(document, (schemas) => {
    const named = [...schemasReachedFrom(document, document.paths), ...Object.keys(schemas)];
    return Object.fromEntries(named.map((name) => [name, schemas[name] as Node]));
  });

/** The schemas come last: the other components are small, and name what the operations before them name. */
function withSchemas(
  document: OpenApi,
  change: (schemas: Readonly<Record<string, Node>>) => Record<string, Node>,
): OpenApi {
  const { schemas = {}, ...others } = document.components;
  return { ...document, components: { ...others, schemas: change(schemas) } };
}
