import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { isSearchable } from '#contract';
import { contracts } from '../../functions/all-contracts.ts';
import { documentText, openApiDocument } from '../../functions/docs/openapi/document.ts';
import type { Node } from '../../functions/docs/openapi/nodes.ts';
import { listQueryOf } from '../../shared/contract/list-query.ts';
import { statusesOf } from '../../shared/contract/traits.ts';
import { document, parametersOf, resolved } from './document.ts';

const routes = contracts.flatMap((contract) =>
  Object.entries(contract.routes).map(([id, route]) => [id, { contract, route }] as const),
);

/** Headers that are ignored when they are malformed: no request is refused for their length. */
const LENIENT = /^#\/components\/parameters\/(If-None-Match|Prefer|traceparent)\/schema$/;

describe('the OpenAPI document', () => {
  it('is committed as it is made from the contracts', async () => {
    const committed = await readFile(new URL('../../openapi.json', import.meta.url), 'utf8');
    const isCurrent = committed === documentText(document);
    expect(isCurrent, 'openapi.json is not what the contracts say: run `npm run docs` and commit it').toBe(true);
  });

  it('is OpenAPI 3.1.0 with what the specification asks of it', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info).toMatchObject({
      title: expect.any(String),
      version: '1.0.0',
      description: expect.any(String),
    });
    expect(document.servers).toEqual([{ url: '/', description: expect.any(String), 'x-internal': false }]);
    expect(Object.keys(document.components)).toContain('schemas');
  });

  it('is refused when an operation would hide another', () => {
    const [first] = contracts;
    if (first === undefined) throw new Error('there are no contracts');
    expect(() => openApiDocument([first, { ...first, name: 'again' }])).toThrow(TypeError);
  });

  it('says all bounds: of every text, list and number', () => {
    const unbounded: string[] = [];
    // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one condition for each kind of bound
    visitSchemas(document, '#', (schema, at) => {
      if (LENIENT.test(at)) return;
      const types = [schema.type].flat();
      const closed = 'enum' in schema || 'const' in schema;
      if (types.includes('string') && !closed && typeof schema.maxLength !== 'number') unbounded.push(at);
      if (types.includes('array') && typeof schema.maxItems !== 'number') unbounded.push(at);
      if ((types.includes('integer') || types.includes('number')) && typeof schema.format !== 'string')
        unbounded.push(at);
    });
    expect(unbounded).toEqual([]);
  });

  it('names no only value of a boolean, which openapi-generator would refuse when it comes', () => {
    const texts: unknown[] = [];
    visitSchemas(document, '#', (schema) => 'const' in schema && texts.push(schema.const));
    expect(texts).not.toEqual([]);
    expect(texts.filter((text) => typeof text !== 'string')).toEqual([]);
  });
});

describe.each(routes)('the operation %s', (id, { route }) => {
  const operation = document.paths[route.path]?.[route.method.toLowerCase()];
  if (operation === undefined) throw new Error(`${id} is not described`);

  it('asks for the token or signature of its route', () => {
    const token = { bearerAuth: [] };
    const asked = { bearer: [token], 'bearer-optional': [token, {}], signature: [{ signature: [] }], none: [] };
    const orBasic = route.verifiesCaller ? [{ basicAuth: [] }] : [];
    expect(operation.security).toEqual([...asked[route.auth], ...orBasic]);
  });

  it('has every parameter of its route', () => {
    const given = parametersOf(operation).map((parameter) => `${parameter.in} ${parameter.name}`);
    const declared = [
      ...Object.keys(route.params.shape).map((name) => `path ${name}`),
      ...Object.keys(route.query.shape).map((name) => `query ${name}`),
      ...(isSearchable(route) ? listQueryOf(route).filters.keys() : []).map((name) => `query ${name}`),
      ...Object.keys(route.headers ?? {}).map((name) => `header ${name}`),
    ];
    expect(given).toEqual(expect.arrayContaining(declared));
    expect(given).toContain('header traceparent');
    const implied = ['If-Match', 'If-None-Match', 'Idempotency-Key', 'Prefer', 'traceparent'];
    const known = implied.map((name) => `header ${name}`);
    expect(given.filter((parameter) => !declared.includes(parameter) && !known.includes(parameter))).toEqual([]);
  });

  it('has an example of its request and of every response, there or field by field', () => {
    if (route.body !== undefined)
      expect(Object(operation.requestBody?.content)['application/json'].example).toEqual(route.bodyExample);
    const without = Object.entries(operation.responses).filter(([, response]) => {
      const { content } = resolved(response) as { content?: Record<string, Node> };
      return Object.values(content ?? {}).some((media) => {
        const isObject = 'properties' in resolved(media.schema as Node);
        return !('example' in media) && !('examples' in media) && !isObject;
      });
    });
    expect(without.map(([status]) => status)).toEqual([]);
  });

  it('has every status of its route, with the headers that come with it', () => {
    expect(Object.keys(operation.responses).map(Number)).toEqual(
      statusesOf(route).toSorted((one, other) => one - other),
    );
    for (const [status, response] of Object.entries(operation.responses)) {
      const { headers = {}, content = {} } = resolved(response) as { headers?: Node; content?: Node };
      expect(Object.keys(headers)).toContain('X-Request-Id');
      const isOwn = (route.oauth && status !== '504') || (route.rpc && ['400', '404'].includes(status));
      const types = [...(isOwn ? ['application/json'] : []), 'application/problem+json'];
      if (Number(status) >= 400) expect(Object.keys(content)).toEqual(types);
      const required = { 401: 'WWW-Authenticate', 304: 'ETag', 429: 'Retry-After', 503: 'Retry-After' }[status];
      if (required !== undefined) expect(Object.keys(headers)).toContain(required);
    }
  });
});

/** Visits every schema: what has a `type` and is no data. */
function visitSchemas(node: unknown, at: string, visit: (schema: Node, at: string) => void): void {
  if (typeof node !== 'object' || node === null) return;
  const isSchema = 'type' in node && !at.startsWith('#/components/securitySchemes');
  if (isSchema && !at.endsWith('/properties')) visit(node as Node, at);
  for (const [key, member] of Object.entries(node)) {
    const isData = /^(example|examples|value|default|enum)$/.test(key) && !at.endsWith('/properties');
    if (!isData) visitSchemas(member, `${at}/${key}`, visit);
  }
}

it('gives the values of a sort names for generators, which would make VALUE_0 of a minus', () => {
  const enums = Array.from(
    documentText(document).matchAll(/"enum": (\[[^\]]*"-[^\]]*\])(,\s*"x-enum-varnames": (\[[^\]]*\]))?/g),
  );
  expect(enums.length).toBeGreaterThan(1);
  for (const [, values = '', , names = '[]'] of enums) {
    const expected = { created_at: 'CREATED_AT', '-created_at': 'CREATED_AT_DESCENDING' };
    expect(JSON.parse(names)).toEqual(JSON.parse(values).map((value: keyof typeof expected) => expected[value]));
  }
});
