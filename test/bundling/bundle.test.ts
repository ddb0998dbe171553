import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { health } from '../../functions/health/contract.ts';
import { bundle, bundleOne } from '../../infra/bundling/bundle.ts';
import { MatchedFilters } from '../../infra/bundling/matched-filters.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'custodia-bundling-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Writes modules into a directory of the test. */
function write(modules: Readonly<Record<string, string>>): string {
  const folder = join(directory, 'source');
  mkdirSync(folder);
  for (const [file, text] of Object.entries(modules)) writeFileSync(join(folder, file), text);
  return join(folder, 'index.ts');
}

describe('a filter of paths', () => {
  const replacing = (filter: RegExp): Plugin => ({
    name: 'replacing',
    setup: ({ onResolve, onLoad }) => {
      onLoad({ filter }, () => ({ contents: 'export const word = 2;' }));
      onResolve({ filter: /^word$/ }, () => ({ path: 'word', namespace: 'made' }));
      onLoad({ filter: /.*/, namespace: 'made' }, () => ({ contents: 'export {}' }));
      onLoad({ filter: /.*/, namespace: 'other' }, () => undefined);
    },
  });

  it.each([
    { filter: /[\\/]word\.ts$/, idle: undefined },
    { filter: /[\\/]words\.ts$/, idle: String.raw`replacing /[\\/]words\.ts$/` },
  ])('$filter is reported where it matches no module', async ({ filter, idle }) => {
    const entry = write({
      'word.ts': 'export const word = 1;',
      'index.ts': "import 'word'; export { word } from './word.ts';",
    });
    const filters = new MatchedFilters();
    const plugins = [filters.recording(replacing(filter))];
    const { outputFiles } = await build({ entryPoints: [entry], bundle: true, write: false, plugins });
    expect(outputFiles[0]?.text).toContain(`word = ${idle === undefined ? 2 : 1}`);
    if (idle === undefined) filters.requireAll();
    else expect(() => filters.requireAll()).toThrow(`No module is matched by a filter of bundling: ${idle}`);
  });

  it('must match in the bundles of all functions, and in a function’s own where it is for that one', async () => {
    // That of health has no static modules.
    await expect(bundle(['health'], directory, [health])).rejects.toThrow(/bundling: static-modules \/\S+$/);
    await expect(bundle(['health'], directory)).resolves.toHaveProperty('size', 1);
    const noFunction = { ...health, name: 'heartbeat' };
    await expect(bundle(['heartbeat'], directory, [noFunction, health])).rejects.toThrow(
      /bundling: precompiled-route-metadata \S+$/,
    );
  });
});

describe('files that are loaded on demand', () => {
  const filesOf = async (index: string): Promise<string[]> => {
    const entry = write({
      'door.ts': "export const one = 1;\nexport const late = () => import('./late.ts');",
      'late.ts': "export const later = () => import('./later.ts');",
      'later.ts': 'export const last = 1;',
      'index.ts': index,
    });
    await bundleOne(entry, join(directory, 'bundle'));
    const scripts = readdirSync(join(directory, 'bundle')).filter((file) => file.endsWith('.cjs'));
    return scripts.map((file) => file.replace(/-\w{8}\./, '.'));
  };

  it('are in a bundle that uses them, however far from its start', async () => {
    expect(await filesOf("import { late } from './door.ts';\nlate();")).toEqual(['late.cjs', 'later.cjs', 'main.cjs']);
  });

  it('are loaded once, when they are needed', async () => {
    const entry = write({
      'late.ts': "globalThis.loads = (globalThis.loads ?? 0) + 1;\nexport const word = 'late';",
      'index.ts':
        "export const handler = async () => [globalThis.loads, (await import('./late.ts')).word, globalThis.loads];",
    });
    await bundleOne(entry, join(directory, 'bundle'));
    const { handler } = await import(pathToFileURL(join(directory, 'bundle/index.mjs')).href);
    expect([await handler(), await handler()]).toEqual([
      [undefined, 'late', 1],
      [1, 'late', 1],
    ]);
  });

  it('are not in one that takes something else from the same door', async () => {
    expect(await filesOf("import { one } from './door.ts';\nglobalThis.one = one;")).toEqual(['main.cjs']);
  });
});
