import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { addScript, script } from './file.ts';
import { searchIndex } from './search-index.ts';

/** The scripts of the pages, with the ones that are made. */

const require = createRequire(import.meta.url);
const library = readFileSync(require.resolve('minisearch').replace('/cjs/index.cjs', '/es/index.js'), 'utf8');
addScript('minisearch', library);
const samples = { entryPoints: [fileURLToPath(new URL('samples/generators.ts', import.meta.url))] };
const [made] = buildSync({ ...samples, bundle: true, format: 'esm', write: false }).outputFiles;
addScript('generators', made?.text ?? '');
addScript('search-index', await searchIndex());

/** Of all pages. */
export const common = await script('site');

/** Of the page of webhooks. */
export const signing = await script('webhooks');

/** Of the reference. */
export const referenceScripts = [common, ...(await Promise.all(['contents', 'cards', 'login', 'try-it'].map(script)))];
