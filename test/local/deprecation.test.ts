import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../local/dynamodb/client.ts';
import { startGateway } from '../../local/gateway/gateway.ts';
import { assertDeprecations, deprecationHeaders } from '../../shared/contract/deprecation.ts';
import { name } from '../../shared/contract/fields.ts';
import { openApiDocument } from '../../shared/contract/openapi/document.ts';
import { pageParameters } from '../../shared/contract/parameters.ts';
import { Problem } from '../../shared/contract/problem.ts';
import { record } from '../../shared/contract/record.ts';
import { contract, ok, pageOf, route } from '../../shared/contract/route.ts';
import { pipeline } from '../../shared/http/pipeline.ts';
import { configureTable } from '../../shared/table/connection/client.ts';

/** What is deprecated says so (`docs/versioning.md`): a contract of a test, over HTTP and in the document. */

const OLD = { since: '2026-01-15', sunset: '2026-09-01', link: '/api/v1/docs#old-things' } as const;
const COLOUR = { since: '2025-11-01', link: 'https://docs.acme.example/colour' } as const;

const thing = record('DeprecationThing', () => ({ name: name(20) }));
const example = { name: 'a' };
const things = contract({
  name: 'things',
  tag: 'Things',
  description: 'Of a test.',
  routes: {
    listOldThings: route('GET', '/old-things', {
      summary: 'List',
      auth: 'none',
      deprecated: OLD,
      deprecatedParameters: { colour: COLOUR },
      query: () => ({ ...pageParameters(), colour: z.string().optional() }),
      response: pageOf(thing, 'A page.', example),
    }),
    readThing: route('GET', '/things', {
      summary: 'Read',
      auth: 'none',
      deprecatedParameters: { colour: COLOUR },
      query: () => ({ colour: z.string().optional(), size: z.string().optional() }),
      response: ok(thing, 'The thing.', example),
    }),
  },
});

const handler = pipeline(things, {
  listOldThings: Object.assign(
    async () => {
      await Promise.resolve();
      return { body: { data: [example], page: 1, page_size: 25, total: 26 } };
    },
    { filters: { colour: true } as const },
  ),
  readThing: async ({ query }) => {
    if (query.size !== undefined) throw new Problem('conflict');
    return { body: example };
  },
});

beforeEach(() => {
  vi.stubEnv('TABLE_NAME', 'things');
  configureTable({ region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS });
});

async function ask(path: string, stage?: string): Promise<Response> {
  const gateway = await startGateway({
    contracts: [things],
    loadFunction: async () => handler as never,
    ...(stage === undefined ? {} : { stage }),
  });
  onTestFinished(() => gateway.close());
  return fetch(`${gateway.url}${path}`);
}

const toldBy = ({ headers }: Response) => [headers.get('deprecation'), headers.get('sunset')];

describe('a deprecated route', () => {
  it('says since when and until when, and where to read on, beside the links of a page', async () => {
    const response = await ask('/old-things');
    expect([response.status, ...toldBy(response)]).toEqual([200, '@1768435200', 'Tue, 01 Sep 2026 00:00:00 GMT']);
    expect(response.headers.get('link')).toBe(
      '</old-things?page=1>; rel="first", </old-things?page=2>; rel="next", </old-things?page=2>; rel="last", </api/v1/docs#old-things>; rel="deprecation"',
    );
  });

  it('says so in a problem too', async () => {
    const response = await ask('/old-things?page=0');
    expect([response.status, ...toldBy(response)]).toEqual([400, '@1768435200', 'Tue, 01 Sep 2026 00:00:00 GMT']);
    expect(response.headers.get('link')).toBe('</api/v1/docs#old-things>; rel="deprecation"');
  });

  it('with a parameter that is deprecated for longer has the earlier day, and both links', async () => {
    const response = await ask('/old-things?colour=red');
    expect(toldBy(response)).toEqual(['@1761955200', 'Tue, 01 Sep 2026 00:00:00 GMT']);
    expect(response.headers.get('link')).toContain(
      '</api/v1/docs#old-things>; rel="deprecation", <https://docs.acme.example/colour>; rel="deprecation"',
    );
  });
});

describe('a deprecated parameter', () => {
  it('is told of where it is used, in problems too', async () => {
    for (const [path, status] of [
      ['/things?colour=red', 200],
      ['/things?colour=red&size=1', 409],
    ] as const) {
      const response = await ask(path);
      expect([response.status, ...toldBy(response)]).toEqual([status, '@1761955200', null]);
      expect(response.headers.get('link')).toBe('<https://docs.acme.example/colour>; rel="deprecation"');
    }
  });

  it('is not told of where it is not', async () => {
    const response = await ask('/things?size=1');
    expect([...toldBy(response), response.headers.get('link')]).toEqual([null, null, null]);
    expect(toldBy(await ask('/things'))).toEqual([null, null]);
  });
});

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly deprecated?: boolean;
}

it('is marked in the document, with the headers', () => {
  const { paths, components } = openApiDocument([things]) as unknown as {
    paths: Record<
      string,
      {
        get: {
          deprecated?: boolean;
          description: string;
          parameters: Parameter[];
          responses: Record<string, { headers: object }>;
        };
      }
    >;
    components: { headers: object; parameters: Record<string, Parameter> };
  };
  const [old, current] = [paths['/old-things']?.get, paths['/things']?.get];
  expect([old?.deprecated, current?.deprecated]).toEqual([true, undefined]);
  expect(old?.description).toContain('Deprecated since 2026-01-15, ends on 2026-09-01: see /api/v1/docs#old-things.');
  // What several operations take is a component.
  const resolved = (current?.parameters ?? []).map((parameter) =>
    parameter.$ref === undefined ? parameter : components.parameters[parameter.$ref.split('/').at(-1) ?? ''],
  );
  const marks = ['colour', 'size'].map((name) => resolved.find((parameter) => parameter?.name === name)?.deprecated);
  expect(marks).toEqual([true, undefined]);
  for (const operation of [old, current])
    expect(Object.keys(operation?.responses['200']?.headers ?? {})).toEqual(
      expect.arrayContaining(['Deprecation', 'Sunset']),
    );
  expect(Object.keys(components.headers)).toContain('Sunset');
});

it.each<[string, object]>([
  ['a sunset that comes too soon', { sunset: '2026-07-13' }],
  ['a day that is none', { since: '2026-13-01' }],
  ['a time for a day', { since: '2026-01-15T00:00:00Z' }],
  ['an insecure link', { link: 'http://docs.acme.example' }],
  ['a link that ends the header', { link: '/docs>; rel="next"' }],
])('%s is refused where it is declared', (_, change) => {
  for (const declared of [
    { deprecated: { ...OLD, ...change } },
    { deprecatedParameters: { x: { ...OLD, ...change } } },
  ]) {
    expect(() => assertDeprecations(declared, 'x')).toThrow(TypeError);
  }
  expect(() => assertDeprecations({ deprecated: OLD }, 'x')).not.toThrow();
});

it('nothing deprecated adds no header', () => {
  expect(deprecationHeaders({}, ['page'])).toEqual({});
});
