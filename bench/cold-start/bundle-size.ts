import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';

/** The size of what a function loads. */
export interface BundleSize {
  /** When it starts, in KB of 1,000 bytes. */
  readonly kilobytes: number;
  /** Number of source files in that. */
  readonly modules: number;
  /** Including what it imports when first needed. */
  readonly allKilobytes: number;
  readonly allModules: number;
}

/**
 * The sizes of a bundle.
 * @param module its entry point, deployed
 * @param maps the directory with its source maps, which are not deployed
 */
export async function bundleSize(module: string, maps: string): Promise<BundleSize> {
  const { metafile } = await build({
    entryPoints: [module],
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
    outdir: 'nowhere',
    logLevel: 'error',
    absWorkingDir: dirname(module),
  });
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const { path, kind, external } of metafile.inputs[file]?.imports ?? []) {
      if (kind === 'import-statement' && external !== true) load(path);
    }
  };
  load(basename(module));
  const all = readdirSync(dirname(module)).filter((file) => /\.[cm]js$/.test(file));
  const files = (names: Iterable<string>) => Array.from(names, (name) => join(dirname(module), name));
  return {
    kilobytes: kilobytesOf(files(loaded)),
    modules: modulesIn(files(loaded), maps),
    allKilobytes: kilobytesOf(files(all)),
    allModules: modulesIn(files(all), maps),
  };
}

const kilobytesOf = (files: readonly string[]): number =>
  Math.round(files.reduce((sum, file) => sum + statSync(file).size, 0) / 1_000);

/** The source files that the maps of these files name. */
function modulesIn(files: readonly string[], maps: string): number {
  const sources = files.flatMap((file) => {
    const map: { readonly sources: readonly string[] } = JSON.parse(
      readFileSync(join(maps, `${basename(file)}.map`), 'utf8'),
    );
    return map.sources;
  });
  return new Set(sources).size;
}
