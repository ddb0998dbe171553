import * as z from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import type { Route } from '#contract';
import {
  hasReadOnlyFields,
  inWords,
  isConditionalRead,
  isConditionalWrite,
  type requestHeaders,
  takesIdempotencyKey,
} from '#contract/derived';

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
    const description = [inWords(deprecation), schema.description].filter((text) => text !== undefined).join(' ');
    return [name, schema.meta({ ...schema.meta(), description, param: { deprecated: true } })] as const;
  });
  return marked.length === 0 ? query : z.strictObject({ ...query.shape, ...Object.fromEntries(marked) });
}

const impliedHeaders = (route: Route): (keyof typeof requestHeaders)[] => [
  ...(isConditionalWrite(route) ? (['If-Match'] as const) : []),
  ...(isConditionalRead(route) ? (['If-None-Match'] as const) : []),
  ...(takesIdempotencyKey(route) ? (['Idempotency-Key'] as const) : []),
  ...(hasReadOnlyFields(route) ? (['Prefer'] as const) : []),
  'traceparent',
];

const declaredHeaders = (route: Route): HeaderParameters =>
  Object.entries(route.headers ?? {}).map(([name, { description, required, ...schema }]) => ({
    name,
    in: 'header',
    description,
    required,
    schema: { type: 'string', ...schema },
  }));
