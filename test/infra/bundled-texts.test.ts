import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contracts } from '../../functions/all-contracts.ts';
import { bundle } from '../../infra/bundling/bundle.ts';
import { withoutDescriptions } from '../../infra/bundling/texts.ts';

describe('the source without descriptions', () => {
  it.each([
    ["name(200).describe('What people call it.')", 'name(200)'],
    ["text(9).describe('It’s `a` (b, \\'c\\').').nullable()", 'text(9).nullable()'],
    ['flag().describe(words(`of (in all)`) + ")")', 'flag()'],
    ["uuid().describe(\n  'first' +\n    'second',\n).nullable()", 'uuid()\n\n\n.nullable()'],
    ["// it's .describe('x')\nuuid().describe('y')", "// it's .describe('x')\nuuid()"],
    ["error('use .describe(me)')", "error('use .describe(me)')"],
    ["describe('a test')", "describe('a test')"],
  ])('of %s is %s', (source, expected) => {
    expect(withoutDescriptions(source)).toBe(expected);
  });
});

describe('the bundles', () => {
  const NAMES = ['clients', 'webhooks', 'openapi'];
  let directory: string;
  const texts = new Map<string, string>();

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'custodia-texts-'));
    for (const [name, bundled] of await bundle(NAMES, directory)) {
      const files = (await readdir(bundled)).filter((file) => file.endsWith('.mjs'));
      const parts = await Promise.all(files.map((file) => readFile(join(bundled, file), 'utf8')));
      texts.set(
        name,
        parts
          .join('\n')
          .replace(/\\u\{?([0-9a-f]{4,5})\}?/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16))),
      );
    }
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const said = contracts
    .flatMap(({ routes }) => Object.values(routes))
    .flatMap(({ body, response }) => [
      response.schema?.description,
      ...Object.values({ ...body?.schema.shape, ...Object(response.schema).shape }).map(
        (field) => Object(field).description,
      ),
    ])
    .filter((text): text is string => typeof text === 'string');

  it('of domains say nothing of their fields', () => {
    expect(said.length).toBeGreaterThan(200);
    for (const name of ['clients', 'webhooks']) {
      expect(
        said.filter((text) => texts.get(name)?.includes(text)),
        name,
      ).toEqual([]);
    }
  });

  it('of the document says it all', () => {
    const served = texts.get('openapi') ?? '';
    const some = [
      'How many resources the client has now; counted by the service.',
      'A company that an organization looks after.',
    ];
    expect(some.filter((text) => !served.includes(text))).toEqual([]);
  });
});
