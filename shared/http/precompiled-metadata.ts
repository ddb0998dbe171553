import type { RouteMetadata } from './route-metadata.ts';

/**
 * The metadata of the function's routes, by operation id. It is empty outside of bundles: a bundle has the metadata
 * instead of this file (`infra/bundling/static-modules.ts`).
 */
export const PRECOMPILED_METADATA: Readonly<Record<string, RouteMetadata>> = {};

/** The operations whose bodies' schemas are built while the function is loaded; as above, none outside of bundles. */
export const BUILT_AT_START: readonly string[] = [];
