import { isNode, type Node, type OpenApi, type OperationNode } from './nodes.ts';

/**
 * Makes a component of every parameter that several operations have: it is sent once, and generators make one type of
 * it. `withReferences` changes an operation to refer to these components.
 */
export function sharedParameters(document: OpenApi) {
  const uses = Map.groupBy(
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.values(item).flatMap(({ parameters = [] }) =>
        parameters.map((each) => ({ path, parameter: withoutRepetition(each) })),
      ),
    ),
    ({ parameter }) => JSON.stringify(parameter),
  );
  const names = new Map<string, string>();
  const parameters: Record<string, Node> = { ...document.components.parameters };
  for (const [text, [use, ...others]] of uses) {
    if (use === undefined || '$ref' in use.parameter || others.length === 0) continue;
    const name = freeName(nameOf(use.parameter, use.path), parameters);
    names.set(text, name);
    parameters[name] = use.parameter;
  }
  const reference = (declared: Node): Node => {
    const parameter = withoutRepetition(declared);
    const name = names.get(JSON.stringify(parameter));
    return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` };
  };
  const withReferences = (operation: OperationNode): OperationNode =>
    operation.parameters === undefined ? operation : { ...operation, parameters: operation.parameters.map(reference) };
  return { parameters, withReferences };
}

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
  const segments = path.split('/');
  const collection = segments[segments.indexOf(`{${name}}`) - 1] ?? '';
  return `Path${name === 'id' ? inPascalCase(collection).replace(/s$/, '') : ''}${inPascalCase(name)}`;
}

const inPascalCase = (words: string): string =>
  words.replace(/(?:^|[_-])(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The name, with a number where parameters of several kinds have it: `Status2`. */
function freeName(name: string, taken: Readonly<Record<string, Node>>, number = 1): string {
  const numbered = number === 1 ? name : `${name}${number}`;
  return numbered in taken ? freeName(name, taken, number + 1) : numbered;
}
