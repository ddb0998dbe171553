import openapiTS, { astToString, NULL, STRING, tsLiteral, tsUnion } from 'openapi-typescript';
import ts from 'typescript';

const HEAD = `/**
 * The types of openapi.json, made by openapi-typescript: \`npm run docs\` writes this file, do not edit it.
 */

`;

type Node = Readonly<Record<string, unknown>>;

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The text of `src/schema.ts` for an OpenAPI document. */
export async function clientTypes(document: Document): Promise<string> {
  const types = astToString(
    await openapiTS(lean(document) as never, {
      ...{ rootTypes: true, rootTypesNoSchemaPrefix: true, transform: extensibleWord },
    }),
  );
  return [
    HEAD + types.replace(/^export type Parameter\w+ = .*\n/gm, '') + problemTypes(document),
    pathSet(
      'OPEN_PATHS',
      'Paths whose operations take no token',
      document,
      (operation) => !operation.includes('"bearerAuth"'),
    ),
    pathSet('TEXT_PATHS', 'Paths that return a text, not JSON', document, (operation) =>
      operation.includes('"text/html"'),
    ),
  ].join('');
}

/**
 * A document of what the client has types for. Problems are all one class, headers are those of `Response`, and the examples are in the
 * document: without them the types have half the size.
 */
function lean({ paths, components: { schemas = {}, parameters = {} }, ...rest }: Document): unknown {
  const kept = {
    ...rest,
    paths: mapped(paths, (item) => mapped(item, leanOperation)),
    components: { schemas, parameters: mapped(parameters, leanParameter) },
  };
  return JSON.parse(JSON.stringify(kept));
}

function leanOperation(operation: unknown): unknown {
  if (!isNode(operation) || !isNode(operation.responses)) return operation;
  const { 'x-permission': _, requestBody, responses, parameters, ...rest } = operation;
  const replies = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  return {
    ...rest,
    ...(Array.isArray(parameters) ? { parameters: parameters.map(leanParameter) } : {}),
    ...(isNode(requestBody) ? { requestBody: withoutExamples(requestBody) } : {}),
    responses: Object.fromEntries(replies.map(([status, response]) => [status, leanResponse(response)])),
  };
}

/** A parameter that takes several values is one value, or a list of them. */
function leanParameter(parameter: unknown): unknown {
  if (!isNode(parameter) || !isNode(parameter.schema) || parameter.schema.type !== 'array') return parameter;
  const { items } = parameter.schema;
  return { ...parameter, schema: { anyOf: [items, { type: 'array', items }] } };
}

function leanResponse(response: unknown): unknown {
  if (!isNode(response)) return response;
  const { headers, links, ...rest } = response;
  return withoutExamples(rest);
}

function withoutExamples(node: Node): Node {
  if (!isNode(node.content)) return node;
  return { ...node, content: mapped(node.content, (media) => (isNode(media) ? { schema: media.schema } : media)) };
}

/** Those that there are today, as a type of its own: `Problem.type` is a text, for later releases add others. */
function problemTypes({ components }: Document): string {
  const { Problem } = components.schemas as { Problem: { properties: { type: { 'x-extensible-enum': string[] } } } };
  const types = Problem.properties.type['x-extensible-enum'].map((type) => `\n    | ${JSON.stringify(type)}`);
  return `/** Types of problems that there are today. */\nexport type KnownProblemType =${types.join('')};\n`;
}

/**
 * A word of a response to which later releases add others: the values of today, as the editor suggests them, or any text
 * (`x-extensible-enum`). What the document closes is an `enum`, which openapi-typescript makes a union.
 */
function extensibleWord(schema: object): ts.TypeNode | undefined {
  const { 'x-extensible-enum': values, type } = schema as { 'x-extensible-enum'?: string[]; type?: string | string[] };
  if (values === undefined) return undefined;
  const { factory } = ts;
  const anyText = factory.createIntersectionTypeNode([STRING, factory.createTypeLiteralNode([])]);
  const known = values.map((value) => tsLiteral(value));
  return tsUnion([...known, factory.createParenthesizedType(anyText), ...(type?.includes('null') ? [NULL] : [])]);
}

/** Paths all of whose operations, as JSON, are of a kind. */
function pathSet(name: string, comment: string, { paths }: Document, isOf: (operation: string) => boolean): string {
  const found = Object.keys(paths).filter((path) =>
    Object.values(paths[path] ?? {}).every((operation) => isOf(JSON.stringify(operation))),
  );
  const lines = found.map((path) => `\n    ${JSON.stringify(path)},`);
  return `/** ${comment}. */\nexport const ${name}: ReadonlySet<string> = new Set<keyof paths>([${lines.join('')}\n]);\n`;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);

const mapped = <T>(node: Readonly<Record<string, T>>, change: (value: T) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value)]));
