import * as z from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import {
  type Body,
  type Contract,
  isSearchable,
  listParametersOf,
  maxBodyOf,
  nameSchemaOf,
  type Route,
  takesHeader,
} from '#contract';
import { sizeInWords } from '../../../shared/words.ts';
import { SECURITY } from './info.ts';
import { requestHeaders } from './request-headers.ts';
import { ndjsonOf, type Responses } from './responses.ts';

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
  security: route.verifiesCaller ? [...SECURITY[route.auth], { basicAuth: [] }] : SECURITY[route.auth],
  ...(route.permission ? { 'x-permission': route.permission } : {}),
  ...(route.extension === undefined ? {} : { 'x-extension': route.extension }),
  ...parametersOf(route),
  ...requestBodyOf(route),
  responses: responses.of(contract, route),
});

const descriptionOf = (route: Route): string =>
  sentences(
    route.description,
    accessTo(route),
    ...remarksOn(route),
    route.extension ? 'Extends the specification of this service.' : undefined,
  );

/** The description for a page that has marks of the permission and of extensions. */
export const descriptionBesideMarks = (route: Route): string => sentences(route.description, ...remarksOn(route));

const sentences = (...all: readonly (string | undefined)[]): string =>
  all.filter((sentence) => sentence !== undefined).join(' ');

const remarksOn = ({ clientScope, cutsOff }: Route) => [
  clientScope ? OF_CLIENTS : undefined,
  cutsOff ? RESERVED : undefined,
];

const OF_CLIENTS = 'Users of single clients see and change only what is of these.';

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
  const { body, bodyExample, batch, oauth } = route;
  return body === undefined
    ? {}
    : {
        requestBody: {
          description: `Up to ${sizeInWords(maxBodyOf(route))}.`,
          required: true,
          content: {
            'application/json': { schema: bodySchema(body), ...(bodyExample && { example: bodyExample }) },
            ...(oauth && { 'application/x-www-form-urlencoded': { schema: bodySchema(body) } }),
            ...(batch && ndjsonOf(batch.lines.sent, maxBodyOf(route))),
          },
        },
      };
};

const described = new WeakMap<Body, z.ZodObject>();

/**
 * The schema of a request body, with the fields that it cannot set and a caller may send back. The same body always
 * gives the same schema, so that it becomes one component.
 */
function bodySchema(body: Body): z.ZodObject {
  const known = described.get(body);
  if (known !== undefined) return known;
  const readOnly = Object.entries(body.readOnlyFields).map(([field, schema]): [string, z.ZodType] => [
    field,
    schema.optional().meta({ ...schema.meta(), default: undefined, readOnly: true }),
  ]);
  // What takes unknown members in a loose schema is said by leaving out `additionalProperties`.
  const object = body.schema.def.catchall instanceof z.ZodNever ? z.strictObject : z.object;
  const schema = object({ ...naming(body.schema.shape), ...Object.fromEntries(readOnly) }).meta({
    id: body.name,
    description: body.description,
  });
  described.set(body, schema);
  return schema;
}

const EXAMPLE_ID = '1690c4dc-6f18-4a4c-9f3e-5b1d7c2a9e04';

/** An id beside a name. With `format: uuid` in an `anyOf`, Python of openapi-generator does not pass mypy. */
const ID = z.string().max(36).regex(z.regexes.guid);

/** References may be given by names, in place of ids. */
const naming = (shape: z.ZodRawShape): z.ZodRawShape =>
  Object.fromEntries(Object.entries(shape).map(([field, schema]) => [field, orName(schema as z.ZodType)]));

function orName(schema: z.ZodType, description = schema.description): z.ZodType {
  const name = nameSchemaOf(schema);
  if (name === undefined) return schema;
  if (schema instanceof z.ZodDefault)
    return orName(schema.unwrap() as z.ZodType, schema.description ?? description).default(schema.def.defaultValue);
  if (schema instanceof z.ZodOptional)
    return orName(schema.unwrap() as z.ZodType, schema.description ?? description).optional();
  const { examples = [EXAMPLE_ID] } = schema.meta() ?? {};
  return z.union([schema instanceof z.ZodNullable ? ID.nullable() : ID, name]).meta({ description, examples });
}

type HeaderParameters = NonNullable<ZodOpenApiOperationObject['parameters']>;

/** Path, query and header parameters of a route's operation. */
const parametersOf = (route: Route): Pick<ZodOpenApiOperationObject, 'requestParams' | 'parameters'> => ({
  requestParams: { path: route.params, query: queryOf(route) },
  parameters: [
    ...impliedHeaders(route).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    ...declaredHeaders(route),
  ],
});

/** Marks which parameters of a list work at any size (`x-list-size`), and which orders do (`x-any-size`). */
function queryOf(route: Route): z.ZodObject {
  if (!isSearchable(route)) return route.query;
  const { filters, sort } = listParametersOf(route);
  const sized = filters.map(({ name, schema, isAnySize }) => [name, withSize(schema, isAnySize)] as const);
  const sorted = sort.schema.meta({ description: sortSentence(sort.anySize), param: { 'x-any-size': sort.anySize } });
  return z.strictObject({
    ...route.query.shape,
    ...Object.fromEntries(sized),
    ...('sort' in route.query.shape ? { sort: sorted } : {}),
  });
}

const sortSentence = (orders: readonly string[]): string =>
  `One field, or two separated by a comma, each with \`-\` before it for the highest first. Records without a value \
come last. At any size: ${orders.map((order) => `\`${order}\``).join(', ')}. Small lists: every other field that has \
a filter.`;

const withSize = (schema: z.ZodType, isAnySize: boolean): z.ZodType =>
  schema.meta({ ...schema.meta(), param: { ...schema.meta()?.param, 'x-list-size': isAnySize ? 'any' : 'small' } });

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
