import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
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
export const bundleOne = (entry: string, outdir: string, plugins: readonly Plugin[] = []) =>
  build({
    absWorkingDir: ROOT,
    entryPoints: { index: entry },
    outdir,
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    target: 'node24',
    format: 'esm',
    bundle: true,
    minify: true,
    // What is imported when first needed (`shared/encryption/kms.ts`) is a file of its own: a tenth of a cold start.
    splitting: true,
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
