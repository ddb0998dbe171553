import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';

/**
 * Modules named `*.static.ts` export plain data, which they make of files and code that a function neither has nor needs. They are run while a bundle is made,
 * and the bundle holds what they export. Node, which runs the source as it is, runs them when they are imported.
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
