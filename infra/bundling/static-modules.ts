import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import type { Contract } from '#contract';
import { derivedMetadata } from '#http';

/**
 * Modules named `*.static.ts` export plain data, which they derive from files and code that a function does not have.
 * The bundler runs them, and the bundle contains their exports. When Node runs the source, it runs them at import.
 */
export const staticModules: Plugin = {
  name: 'static-modules',
  setup(build) {
    build.onLoad({ filter: /\.static\.ts$/ }, async ({ path }) => {
      const made: Readonly<Record<string, unknown>> = await import(pathToFileURL(path).href);
      const lines = Object.entries(made).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
      return { contents: lines.join('\n'), loader: 'js' };
    });
  },
};

/**
 * Replaces `shared/http/precompiled-metadata.ts` in a bundle by the precompiled metadata of its contract's routes. Such
 * a function serves a read without building a schema (`docs/decisions/0054`).
 */
export const precompiledRouteMetadata = (contract: Contract): Plugin => ({
  name: 'precompiled-route-metadata',
  setup(build) {
    build.onLoad({ filter: /[\\/]shared[\\/]http[\\/]precompiled-metadata\.ts$/ }, () => ({
      contents: [
        `export const PRECOMPILED_METADATA = ${metadataText(contract)};`,
        `export const BUILT_AT_START = ${JSON.stringify([contract.mainOperation ?? []].flat())};`,
      ].join('\n'),
      loader: 'js',
    }));
  },
});

function metadataText({ routes }: Contract): string {
  const metadata = Object.entries(routes).map(([operationId, route]) => [operationId, derivedMetadata(route)] as const);
  return JSON.stringify(Object.fromEntries(metadata));
}
