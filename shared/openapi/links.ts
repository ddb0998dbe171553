import type * as z from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import { type Contract, itemRouteOf, type Route, referenceOf } from '#contract';

type Links = NonNullable<ZodOpenApiResponseObject['links']>;

/**
 * What can be done next with a created record: every operation whose path names it, with the values that its response has for the path
 * (OpenAPI 3.1.0 §4.8.20).
 */
export function linksFrom(contracts: readonly Contract[], contract: Contract, route: Route): Links {
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
const recordIn = ({ params }: Route): string | undefined => {
  const { id } = params.shape;
  return id === undefined ? undefined : referenceOf(id as z.ZodType);
};

const linkTo = (operationId: string, { params }: Route): Links[string] => ({
  operationId,
  parameters: Object.fromEntries(Object.keys(params.shape).map((name) => [name, `$response.body#/${name}`])),
});
