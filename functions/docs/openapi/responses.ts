import type { ZodOpenApiMediaTypeObject, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import {
  type Contract,
  GATEWAY_PROBLEMS,
  isSearchable,
  itemRouteOf,
  MAX_RESPONSE,
  PROBLEMS,
  type Problem,
  problemsOf,
  type Route,
  referencesIn,
  takesHeader,
} from '#contract';
import { BUDGET_HEADERS, headerReferences, type ResponseHeader } from './headers.ts';
import { oauthErrorSchema, oauthExample, problemExample, problemSchema } from './problems.ts';

const TIMEOUT = Number(GATEWAY_PROBLEMS.INTEGRATION_TIMEOUT.status);

/** Makes the responses of operations, and collects those that several operations share as components. */
export class Responses {
  readonly components: Record<string, ZodOpenApiResponseObject> = {};
  readonly #contracts: readonly Contract[];

  constructor(contracts: readonly Contract[]) {
    this.#contracts = contracts;
  }

  /** All responses of a route's operation. */
  of(contract: Contract, route: Route): ZodOpenApiResponsesObject {
    const { response, upsert, batch, rpc } = route;
    const headers = successHeaders(contract, route);
    const success = { ...successOf(route, headers), ...linksFrom(this.#contracts, contract, route) };
    const statusOf = (type: Problem['type']) => (route.oauth ? oauthExample(type) : PROBLEMS[type]).status;
    const problems = Object.groupBy(problemsOf(route), statusOf);
    const [prefix, refusal] = route.oauth
      ? (['OAuth', oauthResponse] as const)
      : rpc
        ? (['Message', messageResponse(route)] as const)
        : (['', problemResponse] as const);
    return {
      [`${response.status}` as const]: success,
      // Of an upsert that has changed a record.
      ...(upsert && { '200': successOf(route, ['ETag', ...appliedHeaders(route)], upsert.changed) }),
      // Of a batch, of which an operation has failed.
      ...(batch && { [batch.partly.status]: successOf(route, headers, batch.partly.description) }),
      ...(rpc && { '202': { description: rpc.accepted, headers: headerReferences(BUDGET_HEADERS) } }),
      ...(takesHeader(route, 'If-None-Match') ? { '304': this.#shared('NotModified', notModified) } : {}),
      ...Object.fromEntries(
        Object.entries(problems).map(([status, types = []]) => [
          status,
          this.#shared(prefix + componentName(types), () => refusal(Number(status), types)),
        ]),
      ),
      [`${TIMEOUT}`]: this.#shared('GatewayTimeout', () => problemResponse(TIMEOUT, ['unavailable'])),
    };
  }

  #shared(name: string, make: () => ZodOpenApiResponseObject): { $ref: string } {
    this.components[name] ??= make();
    return { $ref: `#/components/responses/${name}` };
  }
}

const successOf = (
  route: Route,
  headers: readonly ResponseHeader[],
  description = route.response.description,
): ZodOpenApiResponseObject => ({
  description,
  headers: headerReferences([...(route.auth === 'none' ? [] : BUDGET_HEADERS), ...headers]),
  ...contentOf(route),
});

const appliedHeaders = (route: Route): ResponseHeader[] => (takesHeader(route, 'Prefer') ? ['Preference-Applied'] : []);

function contentOf({ response, batch }: Route): Pick<ZodOpenApiResponseObject, 'content'> {
  const { schema, example, media } = response;
  if (schema === undefined) return {};
  const examples = Object.entries<unknown>(media ?? { 'application/json': example });
  const content = Object.fromEntries(examples.map(([type, each]) => [type, { schema, example: each }]));
  return { content: { ...content, ...(batch && ndjsonOf(batch.lines.returned, MAX_RESPONSE)) } };
}

function successHeaders(contract: Contract, route: Route): ResponseHeader[] {
  if (route.response.schema === undefined) return [];
  if (route.response.isList) return ['Link', 'ETag', ...(isSearchable(route) ? (['Scan-Units'] as const) : [])];
  if (route.response.counted) return ['ETag', 'Scan-Units'];
  const applied = appliedHeaders(route);
  const isOfRecord = takesHeader(route, 'If-None-Match') || takesHeader(route, 'If-Match');
  if (isOfRecord && route.upsert === undefined) return ['ETag', ...applied];
  return [
    ...applied,
    ...(itemRouteOf(contract, route) === undefined ? [] : (['ETag', 'Location'] as const)),
    ...(takesHeader(route, 'Idempotency-Key') ? (['Idempotent-Replayed'] as const) : []),
  ];
}

const notModified = (): ZodOpenApiResponseObject => ({
  description: 'Nothing has changed since the `ETag` in `If-None-Match`.',
  headers: headerReferences([...BUDGET_HEADERS, 'ETag']),
});

const problemResponse = (status: number, types: readonly Problem['type'][]): ZodOpenApiResponseObject => ({
  description: `${types.map((type) => PROBLEMS[type].title).join('; or ')}.`,
  headers: headerReferences([...BUDGET_HEADERS, ...problemHeaders(types)]),
  content: {
    'application/problem+json': {
      schema: problemSchema,
      examples: Object.fromEntries(
        types.map((type) => [type, { summary: PROBLEMS[type].title, value: { ...problemExample(type), status } }]),
      ),
    },
  },
});

/** An error of an endpoint of OAuth; the gateway responds with problem details there too. */
function oauthResponse(status: number, types: readonly Problem['type'][]): ZodOpenApiResponseObject {
  const { content, ...response } = problemResponse(status, types);
  const bodies = types.map((type) => oauthExample(type).body);
  const examples = Object.fromEntries(bodies.map((value) => [value.error, { summary: value.error, value }]));
  return { ...response, content: { 'application/json': { schema: oauthErrorSchema, examples }, ...content } };
}

/** Errors of a message of JSON-RPC have the form of its response. */
const messageResponse = (route: Route) => (status: number, types: readonly Problem['type'][]) => {
  const response = problemResponse(status, types);
  const content = { ...([400, 404].includes(status) && contentOf(route).content), ...response.content };
  return { ...response, content };
};

/** Problems whose response says with `Retry-After` when to try again. */
const RETRIED: readonly Problem['type'][] = ['list-being-built', 'too-many-requests', 'unavailable'];

const problemHeaders = (types: readonly Problem['type'][]): ResponseHeader[] => [
  ...(types.some((type) => PROBLEMS[type].status === 401) ? (['WWW-Authenticate'] as const) : []),
  ...(types.some((type) => RETRIED.includes(type)) ? (['Retry-After'] as const) : []),
];

/** `invalid-parameter` and `malformed-request` together are `InvalidParameterOrMalformedRequest`. */
const componentName = (types: readonly Problem['type'][]): string =>
  types.map((type) => type.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())).join('Or');

/**
 * Links from a created record to every operation whose path names it, with the path's values from the response (OpenAPI
 * 3.1.0 §4.8.20).
 */
function linksFrom(
  contracts: readonly Contract[],
  contract: Contract,
  route: Route,
): Pick<ZodOpenApiResponseObject, 'links'> {
  if (route.response.status !== 201) return {};
  const { schema } = route.response;
  const item = itemRouteOf(contract, route);
  const record = item === undefined ? String(schema?.meta()?.id) : recordIn(item);
  const inResponses = Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});
  const links = contracts
    .flatMap(({ routes }) => Object.entries(routes))
    .map(([operationId, other]) => ({ operationId, other, names: Object.keys(other.params.shape) }))
    .filter(({ other, names }) => recordIn(other) === record && names.every((name) => inResponses.includes(name)))
    .map(({ operationId, names }) => {
      const parameters = Object.fromEntries(names.map((name) => [name, `$response.body#/${name}`]));
      return [operationId, { operationId, parameters }] as const;
    });
  return links.length === 0 ? {} : { links: Object.fromEntries(links) };
}

/** Name of the record that the path names by its id. */
const recordIn = ({ params }: Route): string | undefined => referencesIn(params).get('id');

/** A body of NDJSON. OpenAPI 3.1 has no schema for its lines, so it is a text. */
export const ndjsonOf = (
  { description, example }: NonNullable<Route['batch']>['lines']['sent'],
  maxLength: number,
): Readonly<Record<string, ZodOpenApiMediaTypeObject>> => ({
  'application/x-ndjson': { schema: { type: 'string', description, maxLength }, example: `${example}\n` },
});
