import type { Plugin } from 'esbuild';
import type { Contract } from '../../shared/contract/route.ts';
import { derivedShape } from '../../shared/http/route-shape.ts';

/**
 * Gives a bundle the shapes of its contract's routes, derived now, in place of `shared/http/preset-shapes.ts`: a function that has them answers
 * a request that only reads without building a schema (`docs/decisions/0129`).
 */
export const routeShapes = (contract: Contract): Plugin => ({
  name: 'route-shapes',
  setup(build) {
    build.onLoad({ filter: /[\\/]shared[\\/]http[\\/]preset-shapes\.ts$/ }, () => ({
      contents: `export const PRESET_SHAPES = ${shapesText(contract)};`,
      loader: 'js',
    }));
  },
});

function shapesText({ routes }: Contract): string {
  const shapes = Object.entries(routes).map(([operationId, route]) => [operationId, derivedShape(route)] as const);
  return JSON.stringify(Object.fromEntries(shapes));
}
