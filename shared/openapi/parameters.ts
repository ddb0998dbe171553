import * as z from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import type { Route } from '#contract';
import { requestHeaders, takesHeader } from '#contract/derived';
import { deprecationSentence } from './headers.ts';

type HeaderParameters = NonNullable<ZodOpenApiOperationObject['parameters']>;

/** Path, query and header parameters of a route's operation. */
export const parametersOf = (route: Route): Pick<ZodOpenApiOperationObject, 'requestParams' | 'parameters'> => ({
  requestParams: { path: route.params, query: queryOf(route) },
  parameters: [
    ...impliedHeaders(route).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...declaredHeaders(route),
  ],
});

function queryOf({ query, deprecatedParameters = {} }: Route): z.ZodObject {
  const marked = Object.entries(deprecatedParameters).map(([name, deprecation]) => {
    const schema = query.shape[name] as z.ZodType;
    const description = [deprecationSentence(deprecation), schema.description]
      .filter((text) => text !== undefined)
      .join(' ');
    return [name, schema.meta({ ...schema.meta(), description, param: { deprecated: true } })] as const;
  });
  return marked.length === 0 ? query : z.strictObject({ ...query.shape, ...Object.fromEntries(marked) });
}

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
