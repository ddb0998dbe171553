import { describe, expect, it } from 'vitest';
import { isNode, mapValues, type Node } from '../../functions/docs/openapi/nodes.ts';
import { schemas as byName, document, operations } from './document.ts';

/** What the document says to its readers (`docs/decisions/0040`). */

interface Named {
  /** Where it is, for a reader of a failure. */
  readonly at: string;
  readonly node: Node;
}

const entriesOf = (kind: string): Named[] =>
  Object.entries(document.components[kind] ?? {}).map(([name, node]) => ({ at: `${kind}/${name}`, node }));

/** The properties of a schema, and those of objects in it. */
const propertiesOf = ({ at, node }: Named): Named[] =>
  Object.entries(isNode(node.properties) ? node.properties : {}).flatMap(([field, property]) => {
    const named = { at: `${at}/${field}`, node: property as Node };
    return [named, ...propertiesOf(named)];
  });

const inlineParameters = operations.flatMap(({ operationId, parameters = [] }) =>
  parameters.filter((node) => !('$ref' in node)).map((node): Named => ({ at: `${operationId}/${node.name}`, node })),
);
const schemas = entriesOf('schemas');
const properties = schemas.flatMap(propertiesOf);
const parameters = [...entriesOf('parameters'), ...inlineParameters];

describe('every description', () => {
  it.each([
    ['schemas', schemas, 70],
    ['properties', properties, 600],
    ['parameters', parameters, 25],
    ['headers', entriesOf('headers'), 9],
  ] as const)('of %s is there', (_, all, least) => {
    expect(all.length).toBeGreaterThan(least);
    // What only refers to a schema is described there.
    const without = all.filter(({ node }) => !('$ref' in node) && !node.description);
    expect(without.map(({ at }) => at)).toEqual([]);
  });
});

describe('every property', () => {
  it('has an example, from which consoles put together that of the whole', () => {
    const without = properties.filter(({ node }) => {
      const shows = ['$ref', 'examples', 'const', 'properties'].some((keyword) => keyword in node);
      return !shows && !(isNode(node.items) && '$ref' in node.items);
    });
    expect(without.map(({ at }) => at)).toEqual([]);
  });
});

describe('what a text must be like', () => {
  const patternOf = (name: string, field: string) =>
    mapValues(Object(byName[name]?.properties), (each) => each as Node)[field];

  it('is said of a name, and of what a name begins with: not blank', () => {
    const name = new RegExp(String(patternOf('ClientCreate', 'name')?.pattern));
    const list = operations.find(({ operationId }) => operationId === 'listClients');
    const q = list?.parameters?.find((parameter) => parameter.name === 'q')?.schema;
    const prefix = new RegExp(String(Object(q).pattern));
    for (const right of ['Acme', ' Acme', 'é', '\u{1f600}']) {
      expect(right).toMatch(name);
      expect(right).toMatch(prefix);
    }
    for (const wrong of ['', ' ', '\t\n', '\u3000\ufeff']) {
      expect(wrong).not.toMatch(name);
      expect(wrong).not.toMatch(prefix);
    }
    // Control characters are blanks to those who look for a name (`words.ts`).
    for (const wrong of ['\u0000', '\u0097 ']) expect(wrong).not.toMatch(prefix);
  });

  it('is said of an address', () => {
    const address = new RegExp(String(patternOf('ResourceCreate', 'ip_address')?.pattern));
    for (const right of ['192.0.2.10', '2001:db8::1', '::']) expect(right).toMatch(address);
    for (const wrong of ['192.0.2.256', '192.0.2.0/24', 'fe80::1%eth0', 'localhost'])
      expect(wrong).not.toMatch(address);
    expect(patternOf('UserCreate', 'email')?.format).toBe('idn-email');
  });
});
