import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { Contract } from '#contract';
import { requestHeaders } from '#contract/derived';
import { compactDocument } from './compact-document.ts';
import { responseHeaderComponents } from './headers.ts';
import { INFO, SECURITY, SECURITY_SCHEMES, SERVERS } from './info.ts';
import type { OpenApi } from './nodes.ts';
import { operationOf } from './operation.ts';
import { withPropertyExamples } from './property-examples.ts';
import { Responses } from './responses.ts';
import { withSafeNames, withSchemaTexts } from './schemas.ts';
import { withSharedParameters } from './shared-parameters.ts';
import { closedRequests, openResponses } from './strictness.ts';
import { tidy } from './tidy.ts';

/**
 * The OpenAPI 3.1.0 document of these contracts. For build and tests only: the Lambda carries the finished document.
 * @throws TypeError when two routes share an operation id, or a method and path
 */
export const openApiDocument = (contracts: readonly Contract[]): OpenApi => published(describedBy(contracts));

/** The document before the passes, with defaults and closed sets. The pages of the documentation are made from it. */
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
      securitySchemes: securitySchemesOf(contracts),
      parameters: requestHeaders,
      headers: responseHeaderComponents,
      responses: responses.components,
    },
  });
  return tidy({ ...rest, components: sorted(components ?? {}) }) as OpenApi;
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

/** The schemes that routes use: linters refuse unused components. */
function securitySchemesOf(contracts: readonly Contract[]) {
  const used = contracts.flatMap(({ routes }) => Object.values(routes).flatMap(({ auth }) => SECURITY[auth]));
  const names = new Set(used.flatMap((alternative) => Object.keys(alternative)));
  return Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => names.has(name)));
}

/** Sorted by name, so that adding a route does not move other components. */
const sorted = (components: object): object =>
  Object.fromEntries(
    Object.entries(components).map(([kind, members]) => [
      kind,
      Object.fromEntries(
        Object.entries(members as object).sort(([one], [other]) => (one < other ? -1 : Number(one > other))),
      ),
    ]),
  );

/** The OpenAPI document as the text of `openapi.json`. */
export const documentText = (document: object): string => `${JSON.stringify(document, null, 2)}\n`;

/**
 * The document in the form that suits generators, linters and consoles best: clients are made from it. Each pass
 * changes only the form of what the contracts declare (`docs/decisions/0040`).
 */
const PASSES: readonly ((document: OpenApi) => OpenApi)[] = [
  withSchemaTexts,
  withPropertyExamples,
  closedRequests,
  openResponses,
  withSharedParameters,
  withSafeNames,
  compactDocument,
];

const published = (document: OpenApi): OpenApi => PASSES.reduce((before, pass) => pass(before), document);
