import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { Contract } from '#contract';
import { responseHeaderComponents } from './headers.ts';
import { INFO, SECURITY_SCHEMES, SERVERS } from './info.ts';
import { isNode, mapValues, type Node, type OpenApi, rewritten } from './nodes.ts';
import { operationOf } from './operation.ts';
import { published } from './published.ts';
import { requestHeaders } from './request-headers.ts';
import { Responses } from './responses.ts';

/**
 * The OpenAPI 3.1.0 document of these contracts. For build and tests only: the Lambda carries the finished document.
 *
 * @example await writeFile('openapi.json', documentText(openApiDocument(contracts)));
 * @throws TypeError when two routes share an operation id, or a method and path
 */
export const openApiDocument = (contracts: readonly Contract[]): OpenApi => published(describedBy(contracts));

/** The OpenAPI document as the text of `openapi.json`. */
export const documentText = (document: object): string => `${JSON.stringify(document, null, 2)}\n`;

/** The document as the contracts declare it, with defaults and closed sets. */
export function describedBy(contracts: readonly Contract[]): OpenApi {
  const responses = new Responses(contracts);
  const paths = pathsOf(contracts, responses);
  const { components, ...rest } = createDocument({
    openapi: '3.1.0',
    info: INFO,
    servers: SERVERS,
    tags: tagsOf(contracts),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: requestHeaders,
      headers: responseHeaderComponents,
      responses: responses.components,
    },
  });
  const sorted = mapValues(Object(components) as Record<string, object>, sortedByName);
  return rewritten({ ...rest, components: sorted }, finished) as OpenApi;
}

function pathsOf(contracts: readonly Contract[], responses: Responses): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  const ids = new Set<string>();
  for (const contract of contracts) {
    for (const [id, route] of Object.entries(contract.routes)) {
      const method = route.method.toLowerCase() as Lowercase<typeof route.method>;
      const item = paths[route.path] ?? {};
      if (ids.has(id) || item[method] !== undefined) throw new TypeError(`${id} is declared twice`);
      ids.add(id);
      paths[route.path] = { ...item, [method]: operationOf(contract, id, route, responses) };
    }
  }
  return paths;
}

/** In the order of the contracts; domains that share a tag share its description. */
const tagsOf = (contracts: readonly Contract[]) => [
  ...new Map(contracts.map(({ tag, description }) => [tag, { name: tag, description }])).values(),
];

/** Sorted, so that a new route moves no other component. */
const sortedByName = (members: object) =>
  Object.fromEntries(Object.entries(members).toSorted(([one], [other]) => (one < other ? -1 : Number(one > other))));

/** A generated schema with the formats that linters and generators ask for; nullable types are short. */
function finished(node: Node): Node {
  const schema = inlineNull(node);
  const { minLength, ...unbounded } = schema;
  const types = [schema.type].flat();
  return {
    ...(minLength === 0 ? unbounded : schema),
    ...enumNames(schema),
    ...(types.includes('integer') ? { format: schema.format ?? integerFormat(schema.maximum) } : {}),
    ...(types.includes('number') ? { format: schema.format ?? 'double' } : {}),
  };
}

/** Generators make `VALUE_0` of `-created_at`, unless the sort value has a name. */
function enumNames({ enum: values }: Node): Node {
  if (!Array.isArray(values) || !values.some((value) => /^-/.test(value))) return {};
  const names = values.map((value: string) => value.replace(/^-(.*)/, '$1_DESCENDING').toUpperCase());
  return { 'x-enum-varnames': names };
}

/**
 * `anyOf: [{ type: 'string' }, { type: 'null' }]` becomes `type: ['string', 'null']`, unless the first is a
 * reference.
 */
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

const MAX_INT32 = 2_147_483_647;

const integerFormat = (maximum: unknown): string =>
  typeof maximum === 'number' && maximum <= MAX_INT32 ? 'int32' : 'int64';
