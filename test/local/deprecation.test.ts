import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { contract, ok, pageOf, record, route } from '#contract';
import * as field from '#contract/field';
import * as parameter from '#contract/parameter';
import { Problem } from '#contract/problem';
import { startGateway } from '#gateway';
import { pipeline } from '#http';
import { LOCAL_AWS } from '#local-dynamodb';
import { openApiDocument } from '#openapi';
import { configureTable } from '#table';
import { assertDeprecations } from '../../shared/contract/deprecation.ts';

/** Deprecations are announced (`docs/versioning.md`): for a contract of a test, over HTTP and in the document. */

const OLD = { since: '2026-01-15', sunset: '2026-09-01', link: '/api/v1/docs#old-things' } as const;
const COLOUR = { since: '2025-11-01', link: 'https://docs.acme.example/colour' } as const;

const thing = record('DeprecationThing', () => ({ name: field.name(20) }));
const example = { name: 'a' };
const open = { auth: 'none', deprecatedParameters: { colour: COLOUR } } as const;
const things = contract({
  ...{ name: 'things', tag: 'Things', description: 'Of a test.' },
  routes: {
    listOldThings: route('GET', '/old-things', {
      ...{ ...open, summary: 'List', deprecated: OLD },
      query: () => ({ ...parameter.page(), colour: z.string().optional() }),
      response: pageOf(thing, 'A page.', example),
    }),
    readThing: route('GET', '/things', {
      ...{ ...open, summary: 'Read' },
      query: () => ({ colour: z.string().optional(), size: z.string().optional() }),
      response: ok(thing, 'The thing.', example),
    }),
  },
});

const page = async () => ({ body: { data: [example], page: 1, page_size: 25, total: 26 } });
const handler = pipeline(things, {
  listOldThings: Object.assign(page, { filters: { colour: true } as const }),
  readThing: async ({ query }) => {
    if (query.size !== undefined) throw new Problem('conflict');
    return { body: example };
  },
});

beforeEach(() => {
  vi.stubEnv('TABLE_NAME', 'things');
  configureTable({ ...LOCAL_AWS });
});

const SUNSET = 'Tue, 01 Sep 2026 00:00:00 GMT';
const PAGES = '</old-things?page=1>; rel="first", </old-things?page=2>; rel="next", </old-things?page=2>; rel="last"';
const PAGES_OF_RED = PAGES.replaceAll('?', '?colour=red&');
const OF_OLD = '</api/v1/docs#old-things>; rel="deprecation"';
const OF_COLOUR = '<https://docs.acme.example/colour>; rel="deprecation"';

it.each<[string, number, string | null, string | null, string | null]>([
  ['/old-things', 200, '@1768435200', SUNSET, `${PAGES}, ${OF_OLD}`],
  ['/old-things?page=0', 400, '@1768435200', SUNSET, OF_OLD],
  // The day is that of what is deprecated for longer.
  ['/old-things?colour=red', 200, '@1761955200', SUNSET, `${PAGES_OF_RED}, ${OF_OLD}, ${OF_COLOUR}`],
  ['/things?colour=red', 200, '@1761955200', null, OF_COLOUR],
  ['/things?colour=red&size=1', 409, '@1761955200', null, OF_COLOUR],
  ['/things?size=1', 409, null, null, null],
  ['/things', 200, null, null, null],
])('GET %s is a %d that says since when and until when, and where to read on', async (path, status, ...told) => {
  const gateway = await startGateway({ contracts: [things], loadFunction: async () => handler as never });
  onTestFinished(() => gateway.close());
  const { status: found, headers } = await fetch(`${gateway.url}${path}`);
  expect([found, ...['deprecation', 'sunset', 'link'].map((header) => headers.get(header))]).toEqual([status, ...told]);
});

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly deprecated?: boolean;
}

interface Operation {
  readonly deprecated?: boolean;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly headers: object }>>;
}

it('is marked in the document, with the headers', () => {
  const { paths, components } = openApiDocument([things]) as unknown as {
    readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
    readonly components: { readonly headers: object; readonly parameters: Readonly<Record<string, Parameter>> };
  };
  const [old, current] = [paths['/old-things']?.get, paths['/things']?.get];
  expect([old?.deprecated, current?.deprecated]).toEqual([true, undefined]);
  expect(old?.description).toContain('Deprecated since 2026-01-15, ends on 2026-09-01: see /api/v1/docs#old-things.');
  // What several operations take is a component.
  const resolved = current?.parameters.map(({ $ref, ...own }) =>
    $ref === undefined ? own : components.parameters[$ref.split('/').at(-1) ?? ''],
  );
  const marks = ['colour', 'size'].map((of) => resolved?.find((parameter) => parameter?.name === of)?.deprecated);
  expect(marks).toEqual([true, undefined]);
  for (const operation of [old, current])
    expect(operation?.responses['200']?.headers).toMatchObject({ Deprecation: {}, Sunset: {} });
  expect(components.headers).toHaveProperty('Sunset');
});

describe('a deprecation', () => {
  it.each<[string, object]>([
    ['a sunset that comes too soon', { sunset: '2026-07-13' }],
    ['a day that is none', { since: '2026-13-01' }],
    ['a time for a day', { since: '2026-01-15T00:00:00Z' }],
    ['an insecure link', { link: 'http://docs.acme.example' }],
    ['a link that ends the header', { link: '/docs>; rel="next"' }],
  ])('with %s is refused where it is declared', (_, change) => {
    const wrong = { ...OLD, ...change };
    for (const declared of [{ deprecated: wrong }, { deprecatedParameters: { x: wrong } }])
      expect(() => assertDeprecations(declared, 'x')).toThrow(TypeError);
    expect(() => assertDeprecations({ deprecated: OLD }, 'x')).not.toThrow();
  });
});
