import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import type { Contract } from '#contract';
import { contracts } from '../../functions/all-contracts.ts';
import { builtinsWithoutImport } from './builtins.ts';
import { entryOf } from './entry.ts';
import { MatchedFilters } from './matched-filters.ts';
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
  return new Map(bundles);
}

/**
 * Bundles the module `entry`, a path from the repository's root, into `<outdir>/index.mjs` as a function is bundled.
 */
export const bundleOne = (entry: string, outdir: string): Promise<void> =>
  bundleWith(COMMON, `export * from ${JSON.stringify(resolve(ROOT, entry))};`, outdir);

/** The plugins of every bundle. */
const COMMON: readonly Plugin[] = [builtinsWithoutImport, sdkParts, zodOnDemand, staticModules];

async function bundleWith(plugins: readonly Plugin[], contents: string, outdir: string): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    stdin: { contents, resolveDir: ROOT, sourcefile: 'index.ts', loader: 'ts' },
    entryNames: 'index',
    outdir,
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    target: 'node24',
    format: 'esm',
    bundle: true,
    minify: true,
    // Modules that are imported when first needed (`shared/aws/kms.ts`) are separate files, which saves a tenth of a
    // cold start.
    splitting: true,
    metafile: true,
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    // The bundler can leave out unused parts of ES modules, but not of a package's CommonJS build.
    mainFields: ['module', 'main'],
    alias: { '@aws-sdk/credential-provider-node': './infra/bundling/environment-credentials.ts' },
    plugins: [...plugins],
    // A name of zod that is not listed (`zod-on-demand.ts`).
    logOverride: { 'import-is-undefined': 'error' },
    logLevel: 'error',
  });
  await removeUnused(metafile);
}

/**
 * A door exports more than a function uses. The bundler leaves that out, but not the files that it would have loaded on demand: they are removed.
 */
async function removeUnused({ outputs }: Metafile): Promise<void> {
  const used = new Set<string>();
  const use = (name: string): void => {
    if (used.has(name)) return;
    used.add(name);
    for (const { path } of outputs[name]?.imports ?? []) use(path);
  };
  for (const name of Object.keys(outputs)) if (name.endsWith('/index.mjs')) use(name);
  const unused = Object.keys(outputs).filter((name) => name.endsWith('.mjs') && !used.has(name));
  await Promise.all(unused.flatMap((name) => [name, `${name}.map`]).map((name) => rm(resolve(ROOT, name))));
}
