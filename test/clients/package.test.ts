import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { clientTypes } from '../../clients/typescript/generate/schema.ts';
import manifest from '../../clients/typescript/package.json' with { type: 'json' };

/** `@custodia/client` as a package. */

const PACKAGE = join(import.meta.dirname, '../../clients/typescript');
const read = (file: string): string => readFileSync(join(PACKAGE, file), 'utf8');

it('has the types of openapi.json', async () => {
  const types = await clientTypes(JSON.parse(read('../../openapi.json')));
  expect(types === read('src/schema.ts'), 'run `npm run docs` and commit clients/typescript/src/schema.ts').toBe(true);
});

it('has less than 6 KB with all that it needs, minified and compressed', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(PACKAGE, 'src/index.ts')],
    ...{ bundle: true, minify: true, write: false, metafile: true },
    ...{ format: 'esm', platform: 'browser', target: 'es2022' },
  });
  const inputs = Object.keys(metafile.inputs).filter((file) => file.includes('node_modules'));
  expect(inputs).toEqual([expect.stringMatching(/node_modules\/openapi-fetch\//)]);
  const size = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
  expect(size).toBeGreaterThan(2000);
  expect(size).toBeLessThan(6000);
});

it('needs nothing but openapi-fetch and the types of that', () => {
  expect(Object.keys(manifest.dependencies)).toEqual(['openapi-fetch', 'openapi-typescript-helpers']);
});
