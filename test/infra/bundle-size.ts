import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The size of what a function loads, without code caches. */
export interface BundleSize {
  /** When it starts, in KB of 1,000 bytes. */
  readonly kilobytes: number;
  /** Number of source files in that. */
  readonly modules: number;
  /** Including what it loads when first needed. */
  readonly allKilobytes: number;
  readonly allModules: number;
}

/**
 * The sizes of a bundle.
 * @param bundle its directory, deployed
 * @param maps the directory with its source maps, which are not deployed
 */
export function bundleSize(bundle: string, maps: string): BundleSize {
  const all = readdirSync(bundle).flatMap((file) => (/\.[cm]js$/.test(file) ? [join(bundle, file)] : []));
  const loaded = all.filter((file) => ['index.mjs', 'main.cjs'].includes(basename(file)));
  return {
    kilobytes: kilobytesOf(loaded),
    modules: modulesIn(loaded, maps),
    allKilobytes: kilobytesOf(all),
    allModules: modulesIn(all, maps),
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
