import type { ZodOpenApiMediaTypeObject, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import type { Contract, Route } from '#contract';
import { itemRouteOf, problemsOf, referencesIn, takesHeader } from '#contract/derived';
import { GATEWAY_TIMEOUT, MAX_RESPONSE } from '#contract/gateway';
import { isSearchable } from '#contract/lists';
import { PROBLEMS, type ProblemType } from '#contract/problem';
import { BUDGET_HEADERS, headerReferences, type ResponseHeader } from './headers.ts';
import { problemExample, problemSchema } from './problems.ts';

const NOT_MODIFIED = 'NotModified';

/** Makes the responses of operations, and collects those that several operations share as components. */
export class Responses {
  readonly components: Record<string, ZodOpenApiResponseObject> = {};
  readonly #contracts: readonly Contract[];

  constructor(contracts: readonly Contract[]) {
    this.#contracts = contracts;
  }

  /** All responses of a route's operation. */
  of(contract: Contract, route: Route): ZodOpenApiResponsesObject {
    const problems = Object.groupBy(problemsOf(route), (type) => PROBLEMS[type].status);
    return {
      [`${route.response.status}` as const]: successOf(contract, route, linksFrom(this.#contracts, contract, route)),
      ...(route.upsert === undefined ? {} : { '200': changeOf(route, route.upsert) }),
      ...(route.carries && partlyOf(contract, route, route.carries)),
      ...(takesHeader(route, 'If-None-Match') ? { '304': this.#shared(NOT_MODIFIED, notModified) } : {}),
      ...Object.fromEntries(
        Object.entries(problems).map(([status, types = []]) => [
          status,
          this.#shared(componentName(types), () => problemResponse(Number(status), types)),
        ]),
      ),
      [`${GATEWAY_TIMEOUT}`]: this.#shared('GatewayTimeout', () => problemResponse(GATEWAY_TIMEOUT, ['unavailable'])),
    };
  }

  #shared(name: string, make: () => ZodOpenApiResponseObject): { $ref: string } {
    this.components[name] ??= make();
    return { $ref: `#/components/responses/${name}` };
  }
}

function successOf(contract: Contract, route: Route, links: ReturnType<typeof linksFrom>): ZodOpenApiResponseObject {
  const { description } = route.response;
  return {
    description,
    headers: headerReferences([...budgetHeaders(route), ...successHeaders(contract, route)]),
    ...contentOf(route),
    ...(Object.keys(links).length === 0 ? {} : { links }),
  };
}

/** Of an upsert that has changed a record: without `Location`, and without links, which those of its creation are. */
const changeOf = (route: Route, { changed }: NonNullable<Route['upsert']>): ZodOpenApiResponseObject => ({
  description: changed,
  headers: headerReferences([...budgetHeaders(route), 'ETag', ...appliedHeaders(route)]),
  ...contentOf(route),
});

const appliedHeaders = (route: Route): ResponseHeader[] => (takesHeader(route, 'Prefer') ? ['Preference-Applied'] : []);

/** Of a request that carries others, where one of them has failed. */
const partlyOf = (
  contract: Contract,
  route: Route,
  { partly: { status, description } }: NonNullable<Route['carries']>,
): ZodOpenApiResponsesObject => ({ [`${status}` as const]: { ...successOf(contract, route, {}), description } });

function contentOf({ response, carries }: Route): Pick<ZodOpenApiResponseObject, 'content'> {
  const { schema, example, media } = response;
  if (schema === undefined) return {};
  const examples = Object.entries<unknown>(media ?? { 'application/json': example });
  const content = Object.fromEntries(examples.map(([type, each]) => [type, { schema, example: each }]));
  return { content: { ...content, ...(carries && ndjsonOf(carries.lines.returned, MAX_RESPONSE)) } };
}

const budgetHeaders = (route: Route): readonly ResponseHeader[] => (route.auth === 'none' ? [] : BUDGET_HEADERS);

function successHeaders(contract: Contract, route: Route): ResponseHeader[] {
  if (route.response.schema === undefined) return [];
  if (route.response.isList) return ['Link', 'ETag', ...(isSearchable(route) ? (['Scan-Units'] as const) : [])];
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

const problemResponse = (status: number, types: readonly ProblemType[]): ZodOpenApiResponseObject => ({
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

/** Problems whose response says with `Retry-After` when to try again. */
const RETRIED: readonly ProblemType[] = ['list-being-built', 'too-many-requests', 'unavailable'];

const problemHeaders = (types: readonly ProblemType[]): ResponseHeader[] => [
  ...(types.some((type) => PROBLEMS[type].status === 401) ? (['WWW-Authenticate'] as const) : []),
  ...(types.some((type) => RETRIED.includes(type)) ? (['Retry-After'] as const) : []),
];

/** `invalid-parameter` and `malformed-request` together are `InvalidParameterOrMalformedRequest`. */
const componentName = (types: readonly ProblemType[]): string =>
  types.map((type) => type.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())).join('Or');

type Links = NonNullable<ZodOpenApiResponseObject['links']>;

/**
 * Links from a created record to every operation whose path names it, with the path's values from the response (OpenAPI
 * 3.1.0 §4.8.20).
 */
function linksFrom(contracts: readonly Contract[], contract: Contract, route: Route): Links {
  if (route.response.status !== 201) return {};
  const { schema } = route.response;
  const item = itemRouteOf(contract, route);
  const record = item === undefined ? String(schema?.meta()?.id) : recordIn(item);
  const inResponses = Object.keys((schema as { shape?: object } | undefined)?.shape ?? {});
  const next = contracts
    .flatMap(({ routes }) => Object.entries(routes))
    .filter(([, { params }]) => Object.keys(params.shape).every((name) => inResponses.includes(name)))
    .filter(([, other]) => recordIn(other) === record);
  return Object.fromEntries(next.map(([id, other]) => [id, linkTo(id, other)]));
}

/** Name of the record that the path names by its id. */
const recordIn = ({ params }: Route): string | undefined => referencesIn(params).get('id');

const linkTo = (operationId: string, { params }: Route): Links[string] => ({
  operationId,
  parameters: Object.fromEntries(Object.keys(params.shape).map((name) => [name, `$response.body#/${name}`])),
});

/** A body of NDJSON. OpenAPI 3.1 has no schema for its lines, so it is a text. */
export const ndjsonOf = (
  { description, example }: NonNullable<Route['carries']>['lines']['sent'],
  maxLength: number,
): Readonly<Record<string, ZodOpenApiMediaTypeObject>> => ({
  'application/x-ndjson': { schema: { type: 'string', description, maxLength }, example: `${example}\n` },
});
