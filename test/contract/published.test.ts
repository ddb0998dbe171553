import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { isNode, type Node, type OpenApi, rewritten, schemasReachedFrom } from '../../functions/docs/openapi/nodes.ts';
import { published } from '../../functions/docs/openapi/published.ts';
import { checkIfMatch } from '../../shared/http/response.ts';
import { document, operations, parametersOf, resolved, schemas } from './document.ts';

/** What generators of clients, consoles and linters need of the document (`docs/decisions/0040`). */

const asked = schemasReachedFrom(
  document,
  operations.map(({ requestBody }) => requestBody),
);
const inResponses = schemasReachedFrom(document, [
  operations.map(({ responses }) => responses),
  document.components.responses,
]);

/** Every schema below these components that a test finds something in. */
function schemasWith(names: ReadonlySet<string>, isMeant: (schema: Node) => boolean): string[] {
  const found: string[] = [];
  for (const name of names) {
    rewritten(schemas[name], (schema, key) => {
      if (isMeant(schema)) found.push(`${name}.${key}`);
      return schema;
    });
  }
  return found;
}

describe('names of types', () => {
  const typeOf = (...names: string[]) =>
    names.map((name) => name.replaceAll(/(?:^|_)([a-z])/g, (_, first: string) => first.toUpperCase())).join('');

  it('are not taken twice where the type of a field is named after its schema, as in Go', () => {
    const { securitySchemes: _, ...components } = document.components;
    const ofComponents = Object.values(components).flatMap((component = {}) => Object.keys(component));
    const ofFields = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties as Record<string, Node>)
        .filter(([, schema]) => ['const', 'enum', 'x-extensible-enum', 'properties'].some((key) => key in schema))
        .map(([field]) => typeOf(name, field)),
    );
    expect(Math.min(ofComponents.length, ofFields.length)).toBeGreaterThan(20);
    expect(ofComponents.filter((name, index) => ofComponents.indexOf(name) < index)).toEqual([]);
    expect(ofComponents.filter((name) => ofFields.includes(name))).toEqual([]);
  });
});

describe('schemas of requests', () => {
  it('have no keyword `default`, which makes a field required in the types of openapi-typescript', () => {
    expect(asked.size).toBeGreaterThan(20);
    expect(schemasWith(asked, (schema) => 'default' in schema)).toEqual([]);
    expect(JSON.stringify(schemas.ClientCreate)).toContain('Default: `Europe/Lisbon`.');
    expect(schemas.ClientCreate?.required).toEqual(['name']);
  });

  it('take no field that they do not name, but for what programs of others send', () => {
    const open = [...asked].filter((name) => schemas[name]?.additionalProperties !== false);
    expect(open.toSorted()).toEqual(['Alert', 'AlertmanagerAlerts']);
  });
});

describe('schemas of responses', () => {
  it('leave room for fields and values of later releases', () => {
    expect(inResponses.size).toBeGreaterThan(30);
    expect(schemasWith(inResponses, (schema) => 'enum' in schema || 'default' in schema)).toEqual([]);
    expect(schemasWith(inResponses, (schema) => schema.additionalProperties === false)).toEqual([]);
    expect(schemas.Ticket?.properties).toMatchObject({
      status: { type: 'string', 'x-extensible-enum': ['open', 'closed', 'pending'] },
    });
  });

  it('are none of requests, which are closed', () => {
    expect([...asked].filter((name) => inResponses.has(name))).toEqual([]);
    const { paths, components } = document;
    const shared = JSON.parse(JSON.stringify(paths).replace('schemas/ClientCreate', 'schemas/ClientRecord'));
    expect(() => published({ paths: shared, components } as OpenApi)).toThrow('ClientRecord');
  });
});

describe('parameters', () => {
  it('have no example that a console would send without being asked', () => {
    const optional = operations.flatMap(parametersOf).filter(({ required }) => required !== true);
    expect(optional.length).toBeGreaterThan(100);
    const sent = optional.filter((parameter) => /"examples?":/.test(JSON.stringify(parameter)));
    expect(sent).toEqual([]);
  });

  it('are components where several operations have them', () => {
    const inline = operations.flatMap(({ parameters = [] }) => parameters.filter((each) => !('$ref' in each)));
    const texts = inline.map((parameter) => JSON.stringify(parameter));
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
    expect(Object.keys(document.components.parameters ?? {})).toEqual(
      expect.arrayContaining(['Page', 'PageSize', 'Sort', 'OrgId', 'PathClientId', 'If-Match']),
    );
  });

  it.each([
    ['*', true],
    ['"3.pQ8x0aZcVd1k"', true],
    ['W/"abc", "def"', true],
    ['W/"3.pQ8x0aZcVd1k;gzip", "3.pQ8x0aZcVd1k-gzip"', true],
    ['3.pQ8x0aZcVd1k', true],
    ['0', true],
    ['"open', false],
    ['a b', false],
    ['', false],
  ])('take %s as entity tags, as requests do: %j', (tags, isTaken) => {
    const { schema } = document.components.parameters?.['If-Match'] ?? {};
    expect(new RegExp(String(isNode(schema) ? schema.pattern : '')).test(tags)).toBe(isTaken);
    const check = () => checkIfMatch({ headers: new Map([['if-match', tags]]) }, 3);
    if (isTaken) expect(check).not.toThrow(expect.objectContaining({ type: 'invalid-parameter' }));
    else expect(check).toThrow(expect.objectContaining({ type: 'invalid-parameter' }));
  });
});

describe('names', () => {
  it('of components are no two alike, whatever their kind and spelling: generators make types of all', () => {
    const types = ['schemas', 'parameters', 'responses', 'requestBodies'].flatMap((kind) =>
      Object.keys(document.components[kind] ?? {}).map((name) => name.replace(/[^A-Za-z0-9]/g, '').toLowerCase()),
    );
    expect(types.filter((name, index) => types.indexOf(name) !== index)).toEqual([]);
  });

  it('are none that a generator gives to something of its own', () => {
    const taken = [
      'Client',
      'ClientInterface',
      'ClientOption',
      'ClientWithResponses',
      'Options',
      'ApiClient',
      'Configuration',
    ];
    expect(taken.filter((name) => name in schemas)).toEqual([]);
    expect(schemas.ClientRecord?.properties).toHaveProperty('timezone');
    expect(JSON.stringify(document)).not.toContain('"#/components/schemas/Client"');
  });
});

describe('reading', () => {
  it('begins with the login', () => {
    const tags = (document.tags as { name: string }[]).map(({ name }) => name);
    expect(tags.slice(0, 2)).toEqual(['Authentication', 'Clients']);
    expect(tags.slice(-2)).toEqual(['Token keys', 'Service description']);
    expect(Object.keys(document.paths)[0]).toBe('/api/v1/auth/login');
  });

  const creations = operations.filter(
    ({ responses }) => '201' in responses && 'Location' in Object(responses['201']?.headers),
  );

  it.each(creations.map((operation) => [operation.operationId, operation] as const))(
    'goes on from %s to what can be done with the record',
    (_, { responses }) => {
      const links = Object(responses['201']?.links) as Record<string, { operationId: string; parameters: object }>;
      const targets = Object.values(links).map((link) => {
        const target = operations.find(({ operationId }) => operationId === link.operationId);
        const inPath = target === undefined ? [] : parametersOf(target).filter((each) => each.in === 'path');
        expect(Object.keys(link.parameters)).toEqual(inPath.map(({ name }) => name));
        return link.operationId;
      });
      expect(targets).toContainEqual(expect.stringMatching(/^get/));
    },
  );
});

describe('on the wire', () => {
  it('the document is small: what is repeated is repeated word for word, and near', () => {
    const text = JSON.stringify(document);
    // With the 409 of routes that change a record, and a filter for each scalar field of the records of lists.
    expect(text.length / operations.length).toBeLessThan(5_600);
    expect(gzipSync(text).length / operations.length).toBeLessThan(550);
  });

  it('a response has no example that its schema shows field by field', () => {
    const media = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ content }) => Object.values(Object(content)) as Node[]),
    );
    const shown = media.filter(({ schema }) => isNode(schema) && 'properties' in resolved(schema));
    expect(shown.length).toBeGreaterThan(50);
    expect(shown.filter((each) => 'example' in each)).toEqual([]);
    // A page is a text, and shown as one.
    expect(media.filter((each) => !shown.includes(each)).every((each) => 'example' in each)).toBe(true);
  });

  it('bodies with read-only fields say what these are for', () => {
    const fixed = [...asked].filter((name) => JSON.stringify(schemas[name]).includes('"readOnly":true'));
    expect(fixed.length).toBeGreaterThan(20);
    for (const name of fixed) expect(schemas[name]?.description, name).toMatch(/Read-only fields are left out, or as/);
  });
});
