/** The document as JSON, which the passes of `published.ts` read and rewrite. */

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

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members that hold data. A property or component with such a name is a child of `properties`, and a schema. */
const DATA: ReadonlySet<string> = new Set(['example', 'examples', 'value', 'default', 'enum', 'const']);

/** Rewrites every node, the innermost first, and leaves data as they are. `key` is the name that a node has in its parent. */
export function rewritten(node: unknown, rewrite: (node: Node, key: string) => Node, key = ''): unknown {
  if (Array.isArray(node)) return node.map((element) => rewritten(element, rewrite));
  if (!isNode(node)) return node;
  const isNamed = key === 'properties';
  const members = Object.entries(node).map(([name, member]) => [
    name,
    DATA.has(name) && !isNamed ? member : rewritten(member, rewrite, isNamed ? '' : name),
  ]);
  return isNamed ? Object.fromEntries(members) : rewrite(Object.fromEntries(members), key);
}

/** All operations of a document, in its order. */
export const operationsOf = ({ paths }: OpenApi): OperationNode[] =>
  Object.values(paths).flatMap((item) => Object.values(item));

/** The document with every operation rewritten. */
export const withOperations = (document: OpenApi, rewrite: (operation: OperationNode) => OperationNode): OpenApi => ({
  ...document,
  paths: mapValues(document.paths, (item) => mapValues(item, rewrite)),
});

export const mapValues = <V, W>(
  record: Readonly<Record<string, V>>,
  change: (value: V, key: string) => W,
): Record<string, W> => Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));

const SCHEMA = '#/components/schemas/';

/** Names of the schema components that a part of the document refers to, also by way of other components. */
export function schemasReachedFrom(document: OpenApi, part: unknown): ReadonlySet<string> {
  const seen = new Set<string>();
  const walk = (node: unknown): void => {
    for (const reference of referencesIn(node)) {
      if (seen.has(reference)) continue;
      seen.add(reference);
      const [kind = '', name = ''] = reference.split('/').slice(2);
      walk(document.components[kind]?.[name]);
    }
  };
  walk(part);
  return new Set(
    [...seen].filter((reference) => reference.startsWith(SCHEMA)).map((reference) => reference.slice(SCHEMA.length)),
  );
}

const referencesIn = (node: unknown): string[] =>
  Array.from((JSON.stringify(node) ?? '').matchAll(/"\$ref":"([^"]+)"/g), ([, reference = '']) => reference);
