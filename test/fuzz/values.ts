import fc from 'fast-check';
import { codePoint } from '../support/code-point.ts';
import { resolved, type SchemaNode } from './document.ts';

/** Values for a schema of the document: some that fit, some at its bounds, some that nobody would send in good faith. */

const nested = (levels: number): unknown => {
  let value: unknown = 'core';
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? { a: value } : [value];
  return value;
};

/** Own keys with names that a careless reader takes for something else. JSON.parse makes them own. */
const poisoned = [
  JSON.parse('{"__proto__":{"admin":true}}'),
  JSON.parse('{"constructor":{"prototype":{"admin":true}}}'),
  JSON.parse('{"toString":null,"hasOwnProperty":1,"length":-1}'),
  JSON.parse('{"toJSON":"x","then":"y","valueOf":null}'),
] as unknown[];

const TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00\ud800',
  '\uffff',
  '\u202eabc',
  '😀'.repeat(50),
  'é'.normalize('NFD'),
  '__proto__',
  'constructor',
  '../../../etc/passwd',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: text that some logger would evaluate
  '${jndi:ldap://127.0.0.1/a}',
  'ORG#PLATFORM#CLIENT',
  'null',
  'true',
  '1e309',
  '-0',
  '2026-02-30T25:61:61Z',
  '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:59.999999999+23:59',
  '00000000-0000-0000-0000-000000000000',
  'javascript:alert(1)',
  'http://[::1]:99999/',
  'a@b',
  'x'.repeat(39),
  'x'.repeat(41),
  'x'.repeat(101),
  'x'.repeat(256),
  'x'.repeat(10_000),
  // What a pattern or a search may take long over.
  `${'a'.repeat(30_000)}b`,
  `${'ab'.repeat(15_000)}!`,
  `${'a.'.repeat(15_000)}!`,
  `a@${'a.'.repeat(15_000)}`,
  ' '.repeat(30_000),
  `${'0'.repeat(30_000)}Z`,
];

const NUMBERS = [
  0,
  -0,
  1,
  -1,
  0.1,
  1e-13,
  5e-324,
  1e300,
  -1e300,
  1.7976931348623157e308,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  101,
];

/** Anything at all. */
export const hostile: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<unknown>(...TEXTS) },
  { weight: 4, arbitrary: fc.constantFrom<unknown>(...NUMBERS) },
  { weight: 3, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [null], [[]], { '': '' }) },
  { weight: 2, arbitrary: fc.constantFrom(...poisoned) },
  { weight: 1, arbitrary: fc.constantFrom(10, 60, 255, 257, 3_000).map(nested) },
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 2, arbitrary: fc.string({ unit: codePoint, maxLength: 60 }) },
);

/** What is near or over the 400 KB of an item or the 1 MB of a body. */
export const huge: fc.Arbitrary<unknown> = fc
  .constantFrom(300_000, 395_000, 409_000, 420_000, 1_050_000)
  .chain((size) =>
    fc.constantFrom<unknown>(
      'x'.repeat(size),
      { text: 'x'.repeat(size) },
      { text: '"'.repeat(size / 2) },
      'é'.repeat(size / 2),
    ),
  );

/** A value that fits the schema, or nearly. */
export function fitting(schema: SchemaNode): fc.Arbitrary<unknown> {
  const node = resolved(schema);
  const options = (node.anyOf ?? node.oneOf) as SchemaNode[] | undefined;
  if (options !== undefined) return fc.oneof(...options.map(fitting));
  if (Array.isArray(node.enum)) return fc.constantFrom<unknown>(...node.enum);
  if ('const' in node) return fc.constant(node.const);
  const types = [node.type].flat();
  const kinds = types.flatMap((type) => (typeof type === 'string' ? [ofType(type, node)] : []));
  return kinds.length === 0 ? hostile : fc.oneof(...kinds);
}

function ofType(type: string, node: SchemaNode): fc.Arbitrary<unknown> {
  const bound = (name: string, standard: number): number => Number(node[name] ?? standard);
  switch (type) {
    case 'string':
      return ofFormat(node) ?? words(bound('minLength', 0), bound('maxLength', 200));
    case 'integer':
      return fc.integer({
        min: Math.max(bound('minimum', 0), -(2 ** 53)),
        max: Math.min(bound('maximum', 1e6), 2 ** 53 - 1),
      });
    case 'number':
      return fc.double({ min: bound('minimum', -1e6), max: bound('maximum', 1e6), noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(fitting((node.items ?? {}) as SchemaNode), { maxLength: Math.min(bound('maxItems', 5), 5) });
    default:
      return fc.oneof(
        fc.dictionary(fc.string({ maxLength: 10 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 }),
        fc.constantFrom(...poisoned),
      );
  }
}

/** By format and pattern: fast-check takes milliseconds to make one, and a run has thousands of fields. */
const formats = new Map<string, fc.Arbitrary<unknown> | undefined>();

function ofFormat({ format, pattern }: SchemaNode): fc.Arbitrary<unknown> | undefined {
  const key = JSON.stringify([format, pattern]);
  if (!formats.has(key)) formats.set(key, newFormat(format, pattern));
  return formats.get(key);
}

function newFormat(format: unknown, pattern: unknown): fc.Arbitrary<unknown> | undefined {
  if (format === 'uuid') return fc.uuid();
  if (format === 'date-time')
    return fc.date({ noInvalidDate: true, min: new Date(0) }).map((date) => date.toISOString());
  if (format === 'idn-email')
    return fc.oneof(
      fc.emailAddress(),
      fc.emailAddress().map((address) => `ü${address}`),
    );
  if (format === 'uri') return webAddress();
  return typeof pattern === 'string' ? fc.stringMatching(new RegExp(pattern, 'u')) : undefined;
}

/** As `fc.webUrl`, whose paths take a second to make. */
const webAddress = (): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom('http', 'https'), fc.webAuthority(), fc.array(words(0, 20).map(encodeURIComponent)))
    .map(([scheme, authority, path]) => [`${scheme}://${authority}`, ...path].join('/'));

/** Texts of the least and greatest length allowed, and between. */
const words = (min: number, max: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ minLength: min, maxLength: Math.min(max, min + 40), unit: 'grapheme' }),
    fc.constantFrom(min, Math.min(max, 5_000)).map((length) => 'w'.repeat(length)),
  );
