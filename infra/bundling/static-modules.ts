import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';

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
