import { isNode, mapValues, type Node, type OpenApi, rewritten } from './nodes.ts';

/** Describes each schema that is derived from a record's. */
export const withSchemaTexts = (document: OpenApi): OpenApi => ({
  ...document,
  components: {
    ...document.components,
    schemas: mapValues(document.components.schemas ?? {}, (schema, name) => ({ ...textOf(name, schema), ...schema })),
  },
});

const DERIVED: readonly (readonly [suffix: string, text: (record: string) => string])[] = [
  ['Create', (record) => `What a new ${record} is made from: only what is required has to be there.`],
  ['Patch', (record) => `What to change of a ${record}: fields that are left out stay as they are.`],
  ['Upsert', (record) => `What a new ${record} is made from, or an existing one gets: that keeps what is left out.`],
  ['Page', (record) => `A part of a list, each element a ${record}, with the length of the whole.`],
  ['List', (record) => `The beginning of a list, or what follows a cursor; each element a ${record}.`],
];

const FIXED = 'Read-only fields are left out, or as they were read.';

function textOf(name: string, { properties }: Node): Node {
  const [suffix = '', text] = DERIVED.find(([end]) => name.endsWith(end)) ?? [];
  if (text === undefined) return {};
  const hasFixed = Object.values(Object(properties)).some((field) => isNode(field) && field.readOnly === true);
  const sentences = [text(wordsOf(name.slice(0, -suffix.length))), ...(hasFixed ? [FIXED] : [])];
  return { description: sentences.join(' ') };
}

/** `ServiceAction` is "service action". */
const wordsOf = (record: string): string => record.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();

/**
 * Names of records that generators use otherwise: with a schema `Client`, the Go code of oapi-codegen has two types of
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
