import { readFileSync } from 'node:fs';

/** The committed OpenAPI document, as the fuzz run reads it: it sees nothing that a caller could not. */

export type SchemaNode = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: SchemaNode;
}

export interface Described {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly schema: SchemaNode; readonly example: Readonly<Record<string, unknown>> } | undefined;
  /** Whether it takes a signature instead of a token. */
  readonly isSigned: boolean;
  readonly statuses: readonly number[];
}

const document = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')) as SchemaNode;

/** The target of a reference, or the node itself. */
export function resolved(node: unknown): SchemaNode {
  const { $ref } = node as { $ref?: unknown };
  if (typeof $ref !== 'string') return node as SchemaNode;
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (at as SchemaNode)[key], document);
  return resolved(found);
}

/** Every operation of the document. */
export const described: readonly Described[] = Object.entries(document.paths as Record<string, SchemaNode>).flatMap(
  ([path, item]) => Object.entries(item).map(([method, operation]) => describe(path, method, operation as SchemaNode)),
);

function describe(path: string, method: string, operation: SchemaNode): Described {
  const parameters = ((operation.parameters ?? []) as unknown[]).map((each) => resolved(each) as unknown as Parameter);
  const content = (operation.requestBody as { content?: Record<string, SchemaNode> } | undefined)?.content;
  const media = content?.['application/json'];
  return {
    operationId: String(operation.operationId),
    method: method.toUpperCase(),
    path,
    parameters: parameters.map((each) => ({ ...each, schema: resolved(each.schema) })),
    body:
      media === undefined
        ? undefined
        : { schema: resolved(media.schema), example: (media.example ?? {}) as Record<string, unknown> },
    isSigned: JSON.stringify(operation.security ?? []).includes('signature'),
    statuses: Object.keys(operation.responses as object).map(Number),
  };
}
