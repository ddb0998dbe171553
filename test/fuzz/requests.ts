import fc from 'fast-check';
import { creatorOf, references, uniqueFields } from '../support/relations.ts';
import { type Described, described, resolved, type SchemaNode } from './document.ts';
import { fitting, hostile, huge } from './values.ts';

/** Requests made from the OpenAPI document. Records are named by placeholders, for only the run knows which there are. */
export interface FuzzRequest {
  readonly operation: Described;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly caller: 'org' | 'platform' | 'nobody' | 'forged';
  readonly body: Buffer | undefined;
  readonly signs: boolean;
  /** How many of it are sent at the same time. */
  readonly copies: number;
}

/** Stands for the `pick`-th known record of a kind: `~clients.3~`. Survives JSON and URLs as it is. */
export const placeholder = (kind: string, pick: number): string => `~${kind}.${pick}~`;
export const PLACEHOLDER = /~([a-z_-]+)\.(\d+)~/g;

/** The kind of record that a path is about: its last literal segment before the parameter. */
export const kindOf = (path: string): string =>
  path
    .replace(/\/\{\w+\}.*$/, '')
    .split('/')
    .at(-1) ?? '';

/** Fields and parameters that name a record, by the kind of it. */
const KINDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Array.from(references, ([field, record]) => [field, kindOf(creatorOf(record)?.[1].path ?? '')]),
  ),
  org_id: 'own_org',
  app_code: 'app_codes',
};

const pick = (kind: string): fc.Arbitrary<string> => fc.nat(20).map((index) => placeholder(kind, index));

const rarely = <T>(usual: fc.Arbitrary<T>, weight: number, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 100 - weight, arbitrary: usual }, { weight, arbitrary: other });

/** A text as one part of a URL; what has no UTF-8 form is sent as a byte that begins none. */
const encoded = (value: unknown): string =>
  encodeURIComponent(String(typeof value === 'object' ? JSON.stringify(value) : value).toWellFormed()).slice(0, 3_000);

const MANGLES: readonly ((path: string) => string)[] = [
  (path) => `${path}/`,
  (path) => path.replace('/api', '//api'),
  (path) => path.toUpperCase(),
  (path) => `${path}/%2e%2e/x`,
  (path) => `${path}%00`,
  (path) => `${path}/__proto__`,
  (path) => path.replace('/api/v1', '/api/v2'),
  (path) => `${path}/${'x'.repeat(3_000)}`,
  (path) => path.replaceAll('e', '%65'),
  (path) => `${path}%ff`,
  (path) => `${path};a=b`,
];

function pathOf(operation: Described): fc.Arbitrary<string> {
  const names = Array.from(operation.path.matchAll(/\{(\w+)\}/g), ([, name]) => name ?? '');
  const values = names.map((name) => {
    const known = pick(KINDS[name] ?? kindOf(operation.path));
    return rarely(known, 10, fc.oneof(fc.uuid(), hostile.map(encoded)));
  });
  const filled = fc
    .tuple(...values)
    .map((all) => names.reduce((path, name, at) => path.replace(`{${name}}`, () => all[at] ?? ''), operation.path));
  return rarely(
    filled,
    4,
    fc.tuple(filled, fc.constantFrom(...MANGLES)).map(([path, mangle]) => mangle(path)),
  );
}

function queryOf({ parameters }: Described): fc.Arbitrary<string> {
  const known = parameters
    .filter((each) => each.in === 'query')
    .map(({ name, schema }) => {
      const texts = fitting(schema).map((value) => [value].flat().map(encoded).join());
      const good = KINDS[name] === undefined ? texts : pick(KINDS[name]);
      return rarely(good, 12, hostile.map(encoded)).map((value) => `${name}=${value}`);
    });
  const strange = fc.oneof(
    fc.constantFrom(
      'page=1&page=2',
      '__proto__=1',
      'page',
      '=',
      '&&',
      '%',
      'page=%ff',
      'page=1%00',
      'a[]=1',
      'page=12abc',
      `q=${'x'.repeat(6_000)}`,
    ),
    hostile.map((value) => `${encoded(value).slice(0, 40)}=${encoded(value)}`),
  );
  const some = fc.subarray(known, { maxLength: Math.min(3, known.length) }).chain((chosen) => fc.tuple(...chosen));
  return rarely(
    some,
    8,
    fc.tuple(some, strange).map(([all, one]) => [...all, one]),
  ).map((all) => all.join('&'));
}

const HEADERS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  'content-type': fc.constantFrom(
    'text/plain',
    'application/xml',
    'application/json; charset=latin1',
    '',
    'application/json;',
    'application/problem+json',
    'multipart/form-data; boundary=x',
  ),
  'if-match': fc.constantFrom('*', '"1.abcdefabcdef"', '"2.x"', 'W/"1.x"', '1', '"', '"1.x", "2.y"', ','),
  'if-none-match': fc.constantFrom('*', '"1.abcdefabcdef"', 'x', ','),
  'idempotency-key': fc.oneof(
    fc.nat(30).map((key) => `key-${key}`),
    fc.constantFrom('', ' ', 'a b', 'x'.repeat(256), '\u00e9'),
  ),
  accept: fc.constantFrom('text/html', '*/*;q=0', 'x'),
  'x-timestamp': fc.constantFrom('2026-11-20T09:30:00Z', 'yesterday', '', '1e9'),
  'x-http-method-override': fc.constantFrom('DELETE', 'PUT'),
  'x-forwarded-for': fc.constantFrom('127.0.0.1', "'", '::1'),
  'transfer-encoding': fc.constant('chunked'),
  'content-encoding': fc.constantFrom('gzip', 'br'),
  range: fc.constant('bytes=0-1'),
  expect: fc.constant('200-ok'),
  'x-strange': fc.string({
    unit: fc.integer({ min: 0xa0, max: 0xff }).map((code) => String.fromCharCode(code)),
    maxLength: 50,
  }),
  cookie: fc.constantFrom('a=b; __proto__=1', 'x'.repeat(9_000), 'x'.repeat(12_000)),
};

const headersOf = (operation: Described): fc.Arbitrary<Record<string, string>> => {
  const strange = fc
    .constantFrom(...Object.keys(HEADERS))
    .chain((name) => (HEADERS[name] ?? fc.constant('')).map((value): [string, string] => [name, value]));
  const event = fc.nat(60).map((id): [string, string] => ['x-event-id', `event-${id}`]);
  const some = fc.array(strange, { minLength: 1, maxLength: 2 });
  return fc
    .tuple(
      rarely<[string, string][]>(fc.constant([]), 20, some),
      rarely<[string, string][]>(
        event.map((one) => [one]),
        10,
        fc.constant([]),
      ),
    )
    .map(([all, ids]) => ({
      ...(operation.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(operation.isSigned ? Object.fromEntries(ids) : {}),
      ...Object.fromEntries(all),
    }));
};

/** A body: the example with some of its fields replaced, dropped or added, or all fields anew. */
function contentOf({ body }: Described): fc.Arbitrary<unknown> {
  const { schema, example } = body ?? { schema: {}, example: {} };
  const properties = (schema.properties ?? {}) as Record<string, SchemaNode>;
  const names = Object.keys(properties);
  const base = fc
    .tuple(...Object.entries(example).map(([field, value]) => usual(field, value, 'secret' in example)))
    .map((entries) => Object.fromEntries(entries));
  const changed = names.map((name) =>
    rarely(fitting(resolved(properties[name])), 35, hostile).map((value): [string, unknown] => [name, value]),
  );
  const big = names.map((name) => huge.map((value): [string, unknown] => [name, value]));
  const unknown = fc.tuple(
    fc.oneof(fc.constantFrom('__proto__', 'id', 'constructor', 'org_id', ''), fc.string()),
    hostile,
  );
  const changes = fc.array(names.length === 0 ? unknown : rarely(fc.oneof(...changed), 6, unknown), { maxLength: 4 });
  const largeChange =
    big.length === 0
      ? changes
      : rarely(
          changes,
          2,
          fc.oneof(...big).map((one) => [one]),
        );
  const made = fc
    .tuple(base, largeChange, fc.array(fc.constantFrom(...(names.length === 0 ? [''] : names)), { maxLength: 1 }))
    .map(([fields, more, dropped]) =>
      Object.fromEntries([...Object.entries(fields).filter(([name]) => !dropped.includes(name)), ...more]),
    );
  return rarely<unknown>(made, 4, hostile);
}

/** A field of an example: names of records that are there, and values that were not used before. */
function usual(field: string, value: unknown, isLogin: boolean): fc.Arbitrary<[string, unknown]> {
  const kind = KINDS[field];
  if (field === 'secret') return pick('secrets').map((secret) => [field, secret]);
  if (kind !== undefined && (field !== 'app_code' || isLogin) && value !== null)
    return pick(kind).map((id) => [field, id]);
  if (!uniqueFields.has(field)) return fc.constant([field, value]);
  const fresh = fc.nat(100_000).map((index) => (field === 'email' ? `u${index}@acme.example` : `u-${index}`));
  return fresh.map((text) => [field, text]);
}

/** Texts that are no JSON, or JSON that some readers take for another. */
const BROKEN: readonly ((json: string) => string | Buffer)[] = [
  () => '',
  () => ' ',
  (json) => json.slice(0, -1),
  (json) => `${json}${json}`,
  (json) => `\ufeff${json}`,
  (json) => Buffer.concat([Buffer.from(json.slice(0, -1)), Buffer.from([0xff, 0xfe, 0x7d])]),
  (json) => json.replace(/}$/, ',}'),
  (json) => json.replace(/}$/, ',"status":"a","status":"b"}'),
  (json) => json.replace(/}$/, ',"metadata":{"n":1e400}}'),
  (json) => json.replace(/}$/, ',"metadata":{"n":12345678901234567890.10}}'),
  (json) => json.replace(/}$/, ',"metadata":NaN}'),
  (json) => json.replace(/}$/, ',"__proto__":{"x":1}}'),
  (json) => json.replaceAll('"', "'"),
  () => '['.repeat(100_000),
  () => `{"metadata":${'{"a":'.repeat(60)}1${'}'.repeat(60)}}`,
  () => `{"metadata":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
  (json) => Buffer.from(json, 'utf16le'),
];

const bodyOf = (operation: Described): fc.Arbitrary<Buffer | undefined> => {
  const json = contentOf(operation).map((value) => JSON.stringify(value) ?? '');
  const text = rarely<string | Buffer>(
    json,
    6,
    fc.tuple(json, fc.constantFrom(...BROKEN)).map(([good, broken]) => broken(good)),
  );
  const sent = text.map((value): Buffer | undefined => Buffer.from(value as string));
  return operation.body === undefined
    ? rarely(fc.constant(undefined), 5, sent)
    : rarely(sent, 2, fc.constant(undefined));
};

const requestOf = (operation: Described): fc.Arbitrary<FuzzRequest> =>
  fc
    .record({
      operation: fc.constant(operation),
      method: rarely(
        fc.constant(operation.method),
        3,
        fc.constantFrom('PUT', 'HEAD', 'OPTIONS', 'TRACE', 'DELETE', 'POST', 'PATCH'),
      ),
      path: pathOf(operation),
      query: rarely(queryOf(operation), 40, fc.constant('')),
      headers: headersOf(operation),
      caller: fc.oneof(
        { weight: 80, arbitrary: fc.constant('org' as const) },
        { weight: 14, arbitrary: fc.constant('platform' as const) },
        { weight: 3, arbitrary: fc.constant('nobody' as const) },
        { weight: 3, arbitrary: fc.constant('forged' as const) },
      ),
      body: bodyOf(operation),
      signs: fc.integer({ min: 1, max: 10 }).map((turn) => operation.isSigned && turn < 10),
      copies: rarely(fc.constant(1), 4, fc.integer({ min: 2, max: 4 })),
    })
    .map(({ query, ...request }) => ({ ...request, path: query === '' ? request.path : `${request.path}?${query}` }));

/** Requests of every operation, those that create oftener, so that there is something to read and change. */
export const requests: fc.Arbitrary<FuzzRequest> = fc.oneof(
  ...described.map((operation) => ({ weight: operation.method === 'POST' ? 3 : 2, arbitrary: requestOf(operation) })),
);
