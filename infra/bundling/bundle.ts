import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build, type Plugin } from 'esbuild';
import type { Contract } from '#contract';
import { contracts } from '../../functions/all-contracts.ts';
import { isWithoutContract, readsTable, rightsOf } from '../rights.ts';
import { builtinsWithoutImport } from './builtins.ts';
import { MatchedFilters } from './matched-filters.ts';
import { parts, zodOnDemand } from './on-demand.ts';
import { MAIN, SCRIPT } from './script.ts';
import { sdkParts } from './sdk-parts.ts';
import { precompiledRouteMetadata, staticModules } from './static-modules.ts';

/** By function name, the directory whose `index.mjs` exports `handler`. */
export type Bundles = ReadonlyMap<string, string>;

const ROOT = join(import.meta.dirname, '../..');

/**
 * Bundles `functions/<name>/handler.ts` of each of these functions into `<directory>/<name>`, with its source maps
 * beside it. The maps stay out of the deployed code: reading them would cost 7 ms of every cold start.
 * @throws Error where a filter of a plugin matches no module: of the metadata of routes in a function's bundle, of all
 *   others in the bundles of all functions
 */
export async function bundle(
  names: readonly string[],
  directory: string,
  all: readonly Contract[] = contracts,
): Promise<Bundles> {
  const bundles = names.map((name) => [name, join(directory, name)] as const);
  const ofAll = new MatchedFilters();
  const shared = COMMON.map((plugin) => ofAll.recording(plugin));
  await Promise.all(
    bundles.map(async ([name, outdir]) => {
      const ofOne = new MatchedFilters();
      const own = all.filter((each) => each.name === name).map(precompiledRouteMetadata);
      const plugins = [...shared, ...own.map((plugin) => ofOne.recording(plugin))];
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
    // A name of zod that is not listed (`on-demand.ts`).
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

/**
 * Makes V8's code caches of the scripts in these directories, with the Node that the variable `CODE_CACHE_NODE` names
 * by a command, or with the running one (`docs/deployment.md#the-code-cache`).
 * @throws Error where that Node cannot be run
 */
export async function makeCodeCaches(directories: readonly string[]): Promise<void> {
  const [node = process.execPath, ...args] = process.env.CODE_CACHE_NODE?.split(' ') ?? [];
  const program = join(import.meta.dirname, 'make-code-caches.ts');
  await promisify(execFile)(node, [...args, program, ...directories]);
}

/**
 * The entry of a function's bundle: its handler, and its warm start (`shared/warm-start.ts`), which the source does not
 * have, so that no test and no local server makes its calls. A function that reads the table reads one key of it; one
 * that signs or verifies tokens reads their public keys, which it needs for its first request.
 */
export function entryOf(name: string, all: readonly Contract[]): string {
  const served = isWithoutContract(name) ? name : all.find((each) => each.name === name);
  const rights = served === undefined ? {} : rightsOf(served);
  const steps = [
    ...(readsTable(rights) ? [['readWarmKey', '#table']] : []),
    ...(rights.verifies ? [['environmentPublicKeys', '#auth']] : []),
  ];
  const handler = `export { handler } from ${JSON.stringify(`./functions/${name}/handler.ts`)};`;
  if (steps.length === 0) return handler;
  return [
    handler,
    `import { warmStart } from './shared/warm-start.ts';`,
    ...steps.map(([step, door]) => `import { ${step} } from '${door}';`),
    `export const started = warmStart([${steps.map(([step]) => step).join()}]);`,
  ].join('\n');
}
