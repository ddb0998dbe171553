import document from '../../../../openapi.json' with { type: 'json' };

/** The OpenAPI document of this service as the reference reads it: with references resolved, and by operation. */

type Bound = `${'min' | 'max'}${'imum' | 'Length' | 'Items' | 'Properties'}`;

export interface Schema extends Partial<Readonly<Record<Bound, number>>> {
  readonly $ref?: string;
  /** A value in one of several forms: an id, or an object that names the record. */
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  /** Of a response: the values that there are today. */
  readonly 'x-extensible-enum'?: readonly unknown[];
  readonly pattern?: string;
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

export interface Content {
  readonly mediaType: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Response {
  readonly status: string;
  readonly description: string;
  readonly headers: readonly string[];
  /** None: a response without a body. */
  readonly content: readonly Content[];
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
  readonly body: (Content & { readonly description: string }) | undefined;
  /** The successful ones, and 304 where there is one. */
  readonly responses: readonly Response[];
  /** Each type has its fragment on the page of problems: `not-found`. */
  readonly problems: readonly ProblemResponse[];
}

export interface ProblemResponse {
  readonly status: string;
  readonly type: string;
  readonly title: string;
  readonly example: unknown;
}

type Named<T> = Readonly<Record<string, T>>;
type Reference = { readonly $ref: string };
type DeclaredContent = Named<
  Omit<Content, 'mediaType'> & { readonly examples?: Named<{ readonly summary: string; readonly value: unknown }> }
>;

interface DeclaredResponse {
  readonly description: string;
  readonly headers?: object;
  readonly content?: DeclaredContent;
}

interface DeclaredOperation extends Pick<Operation, 'summary' | 'description'> {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly security: readonly object[];
  readonly 'x-permission'?: string;
  readonly 'x-extension'?: boolean;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly description: string; readonly content: DeclaredContent };
  readonly responses: Named<DeclaredResponse | Reference>;
}

interface Document {
  readonly info: { readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Named<Named<DeclaredOperation>>;
  readonly components: {
    readonly schemas: Named<Schema>;
    readonly headers: Named<{ readonly description: string; readonly schema: Schema }>;
    readonly parameters: Named<Parameter>;
    readonly responses: Named<DeclaredResponse>;
  };
}

export const openApi = document as unknown as Document;
const { components } = openApi;

/** `ClientRecord` of `#/components/schemas/ClientRecord`. */
export const nameIn = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);

/** Whether many operations have the parameter alike. The reference folds such parameters: few readers look for them. */
export const isCommon = (parameter: Parameter): boolean =>
  (parameter.in === 'header' || parameter.name === 'org_id') &&
  Object.values(components.parameters).includes(parameter);

/** Whether it is a filter for small lists. These are folded, too: they are many, and follow one rule. */
export const isForSmallLists = (parameter: Parameter): boolean => parameter['x-list-size'] === 'small';

function operationOf(method: string, path: string, operation: DeclaredOperation): Operation {
  const responses = Object.entries(operation.responses).map(
    ([status, response]) => [status, resolved(components.responses, response)] as const,
  );
  const { operationId, summary, description, tags, security, parameters = [], requestBody } = operation;
  const [content] = contentOf(requestBody?.content);
  return {
    id: operationId,
    method: method.toUpperCase() as Operation['method'],
    path,
    summary,
    description,
    tag: tags[0],
    access: accessOf(security),
    permission: operation['x-permission'],
    isExtension: operation['x-extension'] === true,
    parameters: parameters.map((parameter) => resolved(components.parameters, parameter)),
    body: requestBody && content && { description: requestBody.description, ...content },
    responses: responses.filter(([status]) => Number(status) < 400).map(([status, each]) => responseOf(status, each)),
    problems: responses.flatMap(([status, response]) =>
      Object.entries(response.content?.['application/problem+json']?.examples ?? {}).map(
        ([type, { summary: title, value: example }]) => ({ status, type, title, example }),
      ),
    ),
  };
}

function resolved<C extends object>(known: Named<C>, part: C | Reference): C {
  if (!('$ref' in part)) return part;
  const found = known[nameIn(part.$ref as string)];
  if (found === undefined) throw new TypeError(`${part.$ref} is not in the document`);
  return found;
}

function accessOf(security: readonly object[]): Operation['access'] {
  if (security.length === 0) return 'none';
  if (security.some((alternative) => 'signature' in alternative)) return 'signature';
  return security.some((alternative) => Object.keys(alternative).length === 0) ? 'optional' : 'token';
}

const contentOf = (content: DeclaredContent = {}): Content[] =>
  Object.entries(content).map(([mediaType, { schema, example }]) => ({ mediaType, schema, example }));

const responseOf = (status: string, { description, headers = {}, content }: DeclaredResponse): Response => ({
  status,
  description,
  headers: Object.keys(headers),
  content: contentOf(content),
});

/** All operations, in the order of the document. */
export const operations: readonly Operation[] = Object.entries(openApi.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => operationOf(method, path, operation)),
);
