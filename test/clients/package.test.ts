import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { clientCalls } from '../../packages/client/generate/calls-file.ts';
import { clientTypes } from '../../packages/client/generate/schema.ts';
import manifest from '../../packages/client/package.json' with { type: 'json' };

/** `@custodia/client` as a package. */

const PACKAGE = join(import.meta.dirname, '../../packages/client');
const read = (file: string): string => readFileSync(join(PACKAGE, file), 'utf8');

it('has the types and the names of openapi.json', async () => {
  const document = JSON.parse(read('../../openapi.json'));
  const made = { 'src/schema.ts': await clientTypes(document), 'src/calls.ts': clientCalls(document) };
  for (const [file, text] of Object.entries(made))
    expect(text === read(file), `run \`npm run docs\` and commit packages/client/${file}`).toBe(true);
});

it('shows the first program as it is in examples, where the compiler checks it', () => {
  const [program] = /(?<=```ts\n).*?(?=```)/s.exec(read('README.md')) ?? [];
  expect(program).toBe(read('../../examples/first-program.ts'));
});

it('has less than 10 KB with all that it needs, minified and compressed', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(PACKAGE, 'src/index.ts')],
    ...{ bundle: true, minify: true, write: false, metafile: true },
    ...{ format: 'esm', platform: 'browser', target: 'es2022' },
  });
  const inputs = Object.keys(metafile.inputs).filter((file) => file.includes('node_modules'));
  expect(inputs).toEqual([expect.stringMatching(/node_modules\/openapi-fetch\//)]);
  const size = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
  expect(size).toBeGreaterThan(2000);
  expect(size).toBeLessThan(10_000);
});

it('needs nothing but openapi-fetch and the types of that', () => {
  expect(Object.keys(manifest.dependencies)).toEqual(['openapi-fetch', 'openapi-typescript-helpers']);
});
