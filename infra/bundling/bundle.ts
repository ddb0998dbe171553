import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { contracts } from '../../functions/all-contracts.ts';
import { builtinsWithoutImport } from './builtins.ts';
import { precompiledRouteMetadata } from './route-metadata.ts';
import { sdkParts } from './sdk-parts.ts';
import { staticModules } from './static-modules.ts';
import { withoutTexts } from './texts.ts';
import { zodOnDemand } from './zod-on-demand.ts';

/** By function name the directory whose `index.mjs` exports `handler`. */
export type Bundles = ReadonlyMap<string, string>;

const ROOT = join(import.meta.dirname, '../..');

/**
 * Bundles `functions/<name>/handler.ts` of each of these functions into `<directory>/<name>`, with its source maps beside it. The
 * maps stay out of the deployed code: reading them would cost 7 ms of every cold start.
 */
export async function bundle(names: readonly string[], directory: string): Promise<Bundles> {
  const bundles = names.map((name) => [name, join(directory, name)] as const);
  await Promise.all(
    bundles.map(([name, outdir]) => {
      const contract = contracts.find((each) => each.name === name);
      const plugins = contract === undefined ? [] : [precompiledRouteMetadata(contract)];
      return bundleOne(join('functions', name, 'handler.ts'), outdir, plugins);
    }),
  );
  return new Map(bundles);
}

/** Bundles the module `entry`, named from the repository's root, into `<outdir>/index.mjs`. */
export async function bundleOne(entry: string, outdir: string, plugins: readonly Plugin[] = []): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { index: entry },
    outdir,
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    target: 'node24',
    format: 'esm',
    bundle: true,
    minify: true,
    // What is imported when first needed (`shared/aws/kms.ts`) is a file of its own: a tenth of a cold start.
    splitting: true,
    metafile: true,
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    // The CommonJS build of a package comes whole; its ES modules only as far as they are used.
    mainFields: ['module', 'main'],
    alias: { '@aws-sdk/credential-provider-node': './infra/bundling/environment-credentials.ts' },
    plugins: [builtinsWithoutImport, sdkParts, zodOnDemand, staticModules, withoutTexts, ...plugins],
    // A name of zod that is not listed (`zod-on-demand.ts`).
    logOverride: { 'import-is-undefined': 'error' },
    logLevel: 'error',
  });
  await removeUnused(outdir, metafile);
}

/**
 * A door exports more than a function uses. The bundler leaves that out, but not the files that it would have loaded on demand: they are removed.
 */
async function removeUnused(outdir: string, { outputs }: Metafile): Promise<void> {
  const pathOf = (name: string): string => resolve(ROOT, name);
  const used = new Set<string>();
  const use = (path: string): void => {
    if (used.has(path)) return;
    used.add(path);
    for (const name of Object.keys(outputs)) {
      if (pathOf(name) === path) for (const { path: next } of outputs[name]?.imports ?? []) use(pathOf(next));
    }
  };
  use(resolve(outdir, 'index.mjs'));
  const unused = Object.keys(outputs).filter((name) => /\.mjs$/.test(name) && !used.has(pathOf(name)));
  await Promise.all(unused.flatMap((name) => [rm(pathOf(name)), rm(`${pathOf(name)}.map`)]));
}
