import { contracts } from '../../functions/all-contracts.ts';
import { openApiDocument } from '../../functions/docs/openapi/document.ts';
import { isNode, type Node, type OperationNode, operationsOf } from '../../functions/docs/openapi/nodes.ts';

/** The OpenAPI document, as tests read it. */
export const document = openApiDocument(contracts);

export const operations = operationsOf(document);

export const { schemas = {} } = document.components;

/** A component by its reference, or what is there in its place. */
export function resolved(node: unknown): Node {
  if (!isNode(node)) throw new TypeError(`${node} is no part of the document`);
  if (typeof node.$ref !== 'string') return node;
  const [kind = '', name = ''] = node.$ref.split('/').slice(2);
  const component = document.components[kind]?.[name];
  if (component === undefined) throw new TypeError(`${node.$ref} leads nowhere`);
  return component;
}

export const parametersOf = ({ parameters = [] }: OperationNode): Node[] => parameters.map(resolved);
