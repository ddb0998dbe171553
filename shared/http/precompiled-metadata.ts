import type { RouteMetadata } from './route-metadata.ts';

/** The metadata of the function's routes, by operation id. Empty but in a bundle, which has them instead of this file (`infra/bundling/route-metadata.ts`). */
export const PRECOMPILED_METADATA: Readonly<Record<string, RouteMetadata>> = {};
