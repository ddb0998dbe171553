import * as z from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import type { Body, Contract, Route } from '#contract';
import { maxBodyOf } from '#contract/derived';
import { SECURITY } from './info.ts';
import { ndjsonOf } from './ndjson.ts';
import { parametersOf } from './parameters.ts';
import type { Responses } from './responses.ts';

/** The OpenAPI operation of a route. */
export const operationOf = (
  contract: Contract,
  id: string,
  route: Route,
  responses: Responses,
): ZodOpenApiOperationObject => ({
  operationId: id,
  summary: route.summary,
  description: descriptionOf(route),
  tags: [contract.tag],
  security: SECURITY[route.auth],
  ...(route.permission ? { 'x-permission': route.permission } : {}),
  ...(route.extension === undefined ? {} : { 'x-extension': route.extension }),
  ...parametersOf(route),
  ...requestBodyOf(route),
  responses: responses.of(contract, route),
});

const descriptionOf = (route: Route): string =>
  [
    route.description,
    accessTo(route),
    route.cutsOff ? RESERVED : undefined,
    route.extension ? 'Extends the specification of this service.' : undefined,
  ]
    .filter((sentence) => sentence !== undefined)
    .join(' ');

const RESERVED =
  'Where the request budget is spent, five a minute are still served for each token, if they only take power away.';

function accessTo({ auth, permission }: Route): string {
  switch (auth) {
    case 'bearer':
      return permission ? `Needs the permission \`${permission}\`.` : 'Needs a token, and no permission.';
    case 'bearer-optional':
      return `Needs the permission \`${permission}\`, or no token where the stage lets anyone make a first key.`;
    case 'signature':
      return 'Needs the signature of the body instead of a token.';
    case 'none':
      return 'Needs no token.';
  }
}

const requestBodyOf = (route: Route): Pick<ZodOpenApiOperationObject, 'requestBody'> => {
  const { body, bodyExample, carries } = route;
  return body === undefined
    ? {}
    : {
        requestBody: {
          description: `Up to ${maxBodyOf(route)} bytes.`,
          required: true,
          content: {
            'application/json': {
              schema: bodySchema(body),
              ...(bodyExample === undefined ? {} : { example: bodyExample }),
            },
            ...(carries && ndjsonOf(carries.lines.sent, maxBodyOf(route))),
          },
        },
      };
};

const described = new WeakMap<Body, z.ZodObject>();

/**
 * The schema of a request body, with the fields that it cannot set and a caller may send back. The same body always gives the same schema, so that it
 * becomes one component.
 */
function bodySchema(body: Body): z.ZodObject {
  const known = described.get(body);
  if (known !== undefined) return known;
  const readOnly = Object.entries(body.readOnlyFields).map(([field, schema]): [string, z.ZodType] => [
    field,
    schema.optional().meta({ ...schema.meta(), default: undefined, readOnly: true }),
  ]);
  const schema = z.strictObject({ ...body.schema.shape, ...Object.fromEntries(readOnly) }).meta({
    id: body.name,
    ...(body.description === undefined ? {} : { description: body.description }),
  });
  described.set(body, schema);
  return schema;
}
