import { isNode, type Node, type OpenApi, type OperationNode, withOperations } from './nodes.ts';

/** Makes a component of every parameter that several operations have: it is sent once, and generators make one type of it. */
export function withSharedParameters(document: OpenApi): OpenApi {
  const plain = withOperations(document, (operation) => withParameters(operation, withoutRepetition));
  const uses = Map.groupBy(
    Object.entries(plain.paths).flatMap(([path, item]) =>
      Object.values(item).flatMap(({ parameters = [] }) => parameters.map((parameter) => ({ path, parameter }))),
    ),
    ({ parameter }) => JSON.stringify(parameter),
  );
  const names = new Map<string, string>();
  const components: Record<string, Node> = { ...plain.components.parameters };
  for (const [text, [use, ...others]] of uses) {
    if (use === undefined || '$ref' in use.parameter || others.length === 0) continue;
    const name = freeName(nameOf(use.parameter, use.path), components);
    names.set(text, name);
    components[name] = use.parameter;
  }
  const referred = (parameter: Node): Node => {
    const name = names.get(JSON.stringify(parameter));
    return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` };
  };
  return {
    ...withOperations(plain, (operation) => withParameters(operation, referred)),
    components: { ...plain.components, parameters: components },
  };
}

const withParameters = (operation: OperationNode, change: (parameter: Node) => Node): OperationNode =>
  operation.parameters === undefined ? operation : { ...operation, parameters: operation.parameters.map(change) };

/**
 * Only the parameter has the description, not its schema. An optional parameter has its example in its description,
 * because consoles would send the keyword `example`.
 */
function withoutRepetition(parameter: Node): Node {
  if (!isNode(parameter.schema)) return parameter;
  const { description: own, examples, ...schema } = parameter.schema;
  const description = parameter.description ?? own;
  // Filters for small lists are many, and without examples.
  if (!Array.isArray(examples) || parameter['x-list-size'] === 'small') return { ...parameter, description, schema };
  if (parameter.required === true) return { ...parameter, description, schema: { ...schema, examples } };
  return { ...parameter, description: `${description ?? ''} For example \`${examples[0]}\`.`.trim(), schema };
}

/** `PageSize`; an id in a path is named with its record: `PathClientId`. */
function nameOf(parameter: Node, path: string): string {
  const name = `${parameter.name}`;
  if (parameter.in !== 'path') return inPascalCase(name);
  const collection =
    path
      .slice(0, path.indexOf(`/{${name}}`))
      .split('/')
      .at(-1) ?? '';
  return `Path${name === 'id' ? inPascalCase(collection).replace(/s$/, '') : ''}${inPascalCase(name)}`;
}

const inPascalCase = (words: string): string =>
  words.replace(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The name, with a number where parameters of several kinds have it: `Status2`. */
function freeName(name: string, taken: Readonly<Record<string, Node>>, number = 1): string {
  const numbered = number === 1 ? name : `${name}${number}`;
  return numbered in taken ? freeName(name, taken, number + 1) : numbered;
}
