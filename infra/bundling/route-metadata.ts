import type { Plugin } from 'esbuild';
import type { Contract } from '#contract';
import { derivedMetadata } from '#http/parts';

/**
 * Replaces `shared/http/routes/precompiled-metadata.ts` in a bundle by the precompiled metadata of its contract's routes. Such
 * a function serves a read without building a schema (`docs/decisions/0054`).
 */
export const precompiledRouteMetadata = (contract: Contract): Plugin => ({
  name: 'precompiled-route-metadata',
  setup(build) {
    build.onLoad({ filter: /[\\/]shared[\\/]http[\\/]routes[\\/]precompiled-metadata\.ts$/ }, () => ({
      contents: `export const PRECOMPILED_METADATA = ${metadataText(contract)};`,
      loader: 'js',
    }));
  },
});

function metadataText({ routes }: Contract): string {
  const metadata = Object.entries(routes).map(([operationId, route]) => [operationId, derivedMetadata(route)] as const);
  return JSON.stringify(Object.fromEntries(metadata));
}
