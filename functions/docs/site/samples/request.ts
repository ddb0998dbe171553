import * as z from 'zod';
import { declaredValues, filtersOf, type Route } from '#contract';
import { contracts } from '../../../all-contracts.ts';
import { type ExampleRequest, exampleRequestsOf, NEW } from '../../openapi/example-requests.ts';
import type { SampleData } from './text.ts';

/** The requests that samples send: those of the collections, with the values of the examples as they are. */

export interface SampleRequest extends SampleData, Pick<ExampleRequest, 'leaves'> {
  readonly route: Route;
  readonly query: Readonly<Record<string, string>>;
  readonly body: object | undefined;
  /** The fields that the body must have. */
  readonly required: readonly string[];
}

/**
 * The request of an operation.
 * @throws TypeError for an operation that no contract has
 */
export function requestOf(operationId: string): SampleRequest {
  const request = requests.get(operationId);
  if (request === undefined) throw new TypeError(`no contract has ${operationId}`);
  return request;
}

const sampleRequest = ({ headers, path, body, ...request }: ExampleRequest, route: Route): SampleRequest => ({
  ...request,
  route,
  template: route.path,
  headers: {},
  returns: returnsOf(route),
  path: path.replace(/\?.*/, ''),
  query:
    route.upsert === undefined
      ? filterOf(route)
      : Object.fromEntries(new URLSearchParams(asShown(path.replace(/.*\?/, '')))),
  body: body === undefined ? undefined : JSON.parse(asShown(JSON.stringify(body))),
  required: requiredIn(route.body?.schema.shape ?? {}),
  isIdempotent: 'Idempotency-Key' in headers,
});

const returnsOf = ({ response }: Route): SampleData['returns'] =>
  response.schema === undefined ? 'nothing' : response.media === undefined ? 'json' : 'text';

const asShown = (text: string): string => text.replaceAll(NEW, '');

const requiredIn = (shape: z.ZodRawShape): string[] =>
  Object.entries(shape).flatMap(([field, schema]) => (z.safeParse(schema, undefined).success ? [] : field));

/** A filter of a list whose values the contract closes, with the first of them. */
function filterOf(route: Route): Readonly<Record<string, string>> {
  const shape = route.query.shape as Readonly<Record<string, z.ZodType>>;
  for (const name of filtersOf(route)) {
    const schema = shape[name];
    const values = declaredValues(schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema);
    if (Array.isArray(values)) return { [name]: values[0] };
  }
  return {};
}

const routes = new Map<string, Route>(contracts.flatMap((contract) => Object.entries(contract.routes)));

const requests: ReadonlyMap<string, SampleRequest> = new Map(
  exampleRequestsOf(contracts)
    // Without second calls of an operation.
    .filter(({ id, operationId }) => id === operationId)
    .map((request) => [request.operationId, sampleRequest(request, routes.get(request.operationId) as Route)]),
);
