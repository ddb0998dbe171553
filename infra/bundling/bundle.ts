import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { Contract } from '#contract';
import { contracts } from '../../functions/all-contracts.ts';
import { builtinsWithoutImport } from './builtins.ts';
import { makeCodeCaches } from './code-cache.ts';
import { entryOf } from './entry.ts';
import { MatchedFilters } from './matched-filters.ts';
import { parts } from './parts.ts';
import { MAIN, SCRIPT } from './script.ts';
import { sdkParts } from './sdk-parts.ts';
import { precompiledRouteMetadata, staticModules } from './static-modules.ts';
import { zodOnDemand } from './zod-on-demand.ts';

/** By function name, the directory whose `index.mjs` exports `handler`. */
export type Bundles = ReadonlyMap<string, string>;

const ROOT = join(import.meta.dirname, '../..');

/**
 * Bundles `functions/<name>/handler.ts` of each of these functions into `<directory>/<name>`, with its source maps beside it. The
 * maps stay out of the deployed code: reading them would cost 7 ms of every cold start.
 * @throws Error where a filter of a plugin matches no module: of the metadata of routes in a function's bundle, of all others in the bundles
 *   of all functions
 */
export async function bundle(
  names: readonly string[],
  directory: string,
  all: readonly Contract[] = contracts,
): Promise<Bundles> {
  const bundles = names.map((name) => [name, join(directory, name)] as const);
  const ofAll = new MatchedFilters();
  const shared = COMMON.map((plugin) => ofAll.noting(plugin));
  await Promise.all(
    bundles.map(async ([name, outdir]) => {
      const ofOne = new MatchedFilters();
      const own = all.filter((each) => each.name === name).map(precompiledRouteMetadata);
      const plugins = [...shared, ...own.map((plugin) => ofOne.noting(plugin))];
      await bundleWith(plugins, entryOf(name, all), outdir);
      ofOne.requireAll();
    }),
  );
  if (all.every(({ name }) => names.includes(name))) ofAll.requireAll();
  await makeCodeCaches(bundles.map(([, outdir]) => outdir));
  return new Map(bundles);
}

/**
 * Bundles the module `entry`, a path from the repository's root, into `<outdir>/index.mjs` as a function is bundled.
 */
export async function bundleOne(entry: string, outdir: string): Promise<void> {
  await bundleWith(COMMON, `export * from ${JSON.stringify(resolve(ROOT, entry))};`, outdir);
  await makeCodeCaches([outdir]);
}

/** The plugins of every bundle. */
const COMMON: readonly Plugin[] = [builtinsWithoutImport, sdkParts, zodOnDemand, parts, staticModules];

/** Without its code cache. */
async function bundleWith(plugins: readonly Plugin[], contents: string, outdir: string): Promise<void> {
  // A cache of an earlier bundle could be taken for one of this: V8 compares the length of the code alone.
  await rm(outdir, { recursive: true, force: true });
  await build({
    ...SCRIPT,
    absWorkingDir: ROOT,
    outdir,
    outExtension: { '.js': '.cjs' },
    stdin: { contents, resolveDir: ROOT, sourcefile: 'index.ts', loader: 'ts' },
    entryNames: MAIN,
    metafile: true,
    alias: { '@aws-sdk/credential-provider-node': './infra/bundling/environment-credentials.ts' },
    plugins: [...plugins],
    // A name of zod that is not listed (`zod-on-demand.ts`).
    logOverride: { 'import-is-undefined': 'error' },
  });
  await build({
    ...SCRIPT,
    entryPoints: [join(import.meta.dirname, 'start.ts')],
    outfile: join(outdir, 'index.mjs'),
    format: 'esm',
    banner: {},
    footer: {},
  });
}
