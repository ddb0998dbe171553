import type { RouteShape } from './route-shape.ts';

/** The shapes of the function's routes, by operation id. Empty but in a bundle, which has them instead of this file (`infra/bundling/route-shapes.ts`). */
export const PRESET_SHAPES: Readonly<Record<string, RouteShape>> = {};
