import document from '../../../../openapi.json' with { type: 'json' };

/** The OpenAPI document of this service as the reference reads it: with references resolved, and by operation. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  /** Of a response: the values that there are today. */
  readonly 'x-extensible-enum'?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly default?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly readOnly?: boolean;
  readonly examples?: readonly unknown[];
  readonly description?: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  /** Of an array: whether its values are given by repeating the parameter. */
  readonly explode?: boolean;
  /** Of a filter: for which lists it works. */
  readonly 'x-list-size'?: 'any' | 'small';
  readonly schema: Schema;
}

export interface Body {
  readonly description: string;
  readonly mediaType: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Response {
  readonly status: string;
  readonly description: string;
  readonly headers: readonly string[];
  /** None: a response without a body. */
  readonly content: readonly Omit<Body, 'description'>[];
}

/** A type of problem that an operation can return. */
export interface ProblemReference {
  readonly status: string;
  /** `not-found`: its fragment on the page of problems. */
  readonly type: string;
}

export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** From the origin: `/api/v1/clients/{id}`. */
  readonly path: string;
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  readonly tag: string;
  /** `optional`: a stage may let callers without a token do it. */
  readonly access: 'token' | 'optional' | 'signature' | 'none';
  readonly permission: string | undefined;
  readonly isExtension: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  /** The successful one, and 304 where there is one. */
  readonly responses: readonly Response[];
  readonly problems: readonly ProblemReference[];
}

export interface Tag {
  readonly name: string;
  readonly description: string;
}

export interface Header {
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
}

interface RawResponse {
  readonly description: string;
  readonly headers?: object;
  readonly content?: Readonly<Record<string, Content>>;
}

interface RawOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly [string];
  readonly security: readonly object[];
  readonly 'x-permission'?: string;
  readonly 'x-extension'?: boolean;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly description: string; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, RawResponse | { readonly $ref: string }>>;
}

export interface Document {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly Tag[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, RawResponse>>;
  };
}

export const openApi = document as unknown as Document;

/** `ClientRecord` of `#/components/schemas/ClientRecord`. */
export const nameIn = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** Whether many operations have the parameter alike. Such are folded: they are what a reader does not look for at one operation. */
export const isCommon = (parameter: Parameter): boolean =>
  (parameter.in === 'header' || parameter.name === 'org_id') &&
  Object.values(openApi.components.parameters).includes(parameter);

/** Whether it is a filter for small lists. These are folded, too: they are many, and follow one rule. */
export const isForSmallLists = (parameter: Parameter): boolean => parameter['x-list-size'] === 'small';

/** All operations, in the order of the document. */
export const operationsOf = (source: Document = openApi): readonly Operation[] =>
  Object.entries(source.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => operationOf(source, method, path, operation)),
  );

function operationOf(source: Document, method: string, path: string, operation: RawOperation): Operation {
  const responses = Object.entries(operation.responses).map(([status, response]): [string, RawResponse] => [
    status,
    '$ref' in response ? component(source.components.responses, response.$ref) : response,
  ]);
  return {
    id: operation.operationId,
    method: method.toUpperCase() as Operation['method'],
    path,
    summary: operation.summary,
    description: operation.description,
    tag: operation.tags[0],
    access: accessOf(operation.security),
    permission: operation['x-permission'],
    isExtension: operation['x-extension'] === true,
    parameters: (operation.parameters ?? []).map((parameter) =>
      '$ref' in parameter ? component(source.components.parameters, parameter.$ref) : parameter,
    ),
    body: bodyOf(operation.requestBody),
    responses: responses.filter(([status]) => Number(status) < 400).map(([status, each]) => responseOf(status, each)),
    problems: responses.flatMap(([status, { content }]) =>
      Object.keys(content?.['application/problem+json']?.examples ?? {}).map((type) => ({ status, type })),
    ),
  };
}

function component<C>(components: Readonly<Record<string, C>>, reference: string): C {
  const found = components[nameIn(reference)];
  if (found === undefined) throw new TypeError(`${reference} is not in the document`);
  return found;
}

function accessOf(security: readonly object[]): Operation['access'] {
  if (security.length === 0) return 'none';
  if (security.some((alternative) => 'signature' in alternative)) return 'signature';
  return security.length > 1 ? 'optional' : 'token';
}

const contentOf = (content: RawResponse['content'] = {}): Response['content'] =>
  Object.entries(content).map(([mediaType, { schema, example }]) => ({ mediaType, schema, example }));

function bodyOf(body: RawOperation['requestBody']): Body | undefined {
  const [content] = contentOf(body?.content);
  return body === undefined || content === undefined ? undefined : { description: body.description, ...content };
}

const responseOf = (status: string, { description, headers = {}, content }: RawResponse): Response => ({
  status,
  description,
  headers: Object.keys(headers),
  content: contentOf(content),
});
