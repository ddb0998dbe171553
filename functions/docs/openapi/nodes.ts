import { isObject } from '../../../shared/well-formed.ts';

/** The document as JSON. */

export type Node = { readonly [key: string]: unknown };

export interface OpenApi extends Node {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationNode>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, Node>>>>;
}

export interface OperationNode extends Node {
  readonly operationId: string;
  readonly parameters?: readonly Node[];
  readonly requestBody?: Node;
  readonly responses: Readonly<Record<string, Node>>;
}

export const isNode: (value: unknown) => value is Node = isObject;

/** Members that hold data. A property or component with such a name is a child of `properties`, and a schema. */
const DATA: ReadonlySet<string> = new Set(['example', 'examples', 'value', 'default', 'enum', 'const']);

/**
 * Rewrites every node, the innermost first, and leaves data as they are. `key` is the name that a node has in its
 * parent.
 */
export function rewritten(node: unknown, rewrite: (node: Node, key: string) => Node, key = ''): unknown {
  if (Array.isArray(node)) return node.map((element) => rewritten(element, rewrite));
  if (!isNode(node)) return node;
  const isNamed = key === 'properties';
  const members = mapValues(node, (member, name) =>
    DATA.has(name) && !isNamed ? member : rewritten(member, rewrite, isNamed ? '' : name),
  );
  return isNamed ? members : rewrite(members, key);
}

/** All operations of a document, in its order. */
export const operationsOf = ({ paths }: OpenApi): OperationNode[] =>
  Object.values(paths).flatMap((item) => Object.values(item));

export const mapValues = <V, W>(
  record: Readonly<Record<string, V>>,
  change: (value: V, key: string) => W,
): Record<string, W> => Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));

const SCHEMA = '#/components/schemas/';

/** The name of the component that a schema refers to. */
export const schemaIn = (schema: unknown): string | undefined =>
  isNode(schema) && typeof schema.$ref === 'string' ? schema.$ref.slice(SCHEMA.length) : undefined;

/** Names of the schema components that a part of the document refers to, also by way of other components. */
export function schemasReachedFrom(document: OpenApi, part: unknown): ReadonlySet<string> {
  const seen = new Set<string>();
  const walk = (node: unknown): void => {
    const references = (JSON.stringify(node) ?? '').matchAll(/"\$ref":"([^"]+)"/g);
    for (const [, reference = ''] of references) {
      if (seen.has(reference)) continue;
      seen.add(reference);
      const [kind = '', name = ''] = reference.split('/').slice(2);
      walk(document.components[kind]?.[name]);
    }
  };
  walk(part);
  return new Set([...seen].filter((each) => each.startsWith(SCHEMA)).map((each) => each.slice(SCHEMA.length)));
}
