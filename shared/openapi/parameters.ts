import type { ZodOpenApiOperationObject } from 'zod-openapi';
import type { Route } from '#contract';
import { requestHeaders, takesHeader } from '#contract/derived';

type HeaderParameters = NonNullable<ZodOpenApiOperationObject['parameters']>;

/** Path, query and header parameters of a route's operation. */
export const parametersOf = (route: Route): Pick<ZodOpenApiOperationObject, 'requestParams' | 'parameters'> => ({
  requestParams: { path: route.params, query: route.query },
  parameters: [
    ...impliedHeaders(route).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...declaredHeaders(route),
  ],
});

const impliedHeaders = (route: Route) =>
  (Object.keys(requestHeaders) as (keyof typeof requestHeaders)[]).filter((name) => takesHeader(route, name));

const declaredHeaders = (route: Route): HeaderParameters =>
  Object.entries(route.headers ?? {}).map(([name, { description, required, ...schema }]) => ({
    name,
    in: 'header',
    description,
    required,
    schema: { type: 'string', ...schema },
  }));
