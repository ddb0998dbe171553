import { createHash } from 'node:crypto';
import { basename, relative, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';

const NAMESPACE = 'part';

/**
 * Puts what our modules import when first needed (`import('./guesses.ts')`) into scripts of their own, which share no module with the rest of
 * the bundle. esbuild splits ES modules only. What packages import so is small, and stays in the script.
 */
export const parts: Plugin = {
  name: 'parts',
  setup({ initialOptions, onResolve, onLoad, onEnd }) {
    const { absWorkingDir: root = '.', stdin: _, ...options } = initialOptions;
    const nameOf = (path: string): string => {
      const id = createHash('sha256').update(relative(root, path)).digest('hex').slice(0, 8);
      return `${basename(path, '.ts')}-${id}`;
    };
    onResolve({ filter: /^\..*\.ts$/ }, ({ kind, path, resolveDir }) =>
      kind === 'dynamic-import' ? { path: resolve(resolveDir, path), namespace: NAMESPACE } : undefined,
    );
    onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ path }) => ({
      contents: `module.exports = load('${nameOf(path)}');`,
      loader: 'js',
    }));
    onEnd(async ({ metafile }) => {
      const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.entries(output.inputs));
      const used = inputs.flatMap(([name, { bytesInOutput }]) =>
        name.startsWith(`${NAMESPACE}:`) && bytesInOutput > 0 ? [name.slice(NAMESPACE.length + 1)] : [],
      );
      const entryPoints = Object.fromEntries(used.map((path) => [nameOf(path), resolve(root, path)]));
      if (used.length > 0) await build({ ...options, absWorkingDir: root, entryPoints, entryNames: '[name]' });
    });
  },
};
