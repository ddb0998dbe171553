import { createHash } from 'node:crypto';
import { basename, join, relative, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { SCRIPT } from './script.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The names of zod that contracts use. The bundler refuses to import other names. */
const FUNCTIONS = [
  ...'array boolean custom email enum guid int int32 ipv4 ipv6 literal looseObject number object registry'.split(' '),
  ...'strictObject string toJSONSchema unknown url'.split(' '),
];
/** Classes that schemas are compared with. */
const CLASSES = 'ZodArray ZodBoolean ZodCustom ZodDefault ZodEnum ZodNullable ZodObject ZodOptional ZodPipe'.split(' ');

/** Objects whose members are used. */
const OBJECTS = ['globalRegistry', 'regexes'];
const NAMES = [...FUNCTIONS, ...CLASSES, ...OBJECTS];

const ZOD = 'zod';

/**
 * Puts zod into a separate file, which is loaded when the first schema is built instead of when a function starts. Its
 * 75 KB take a tenth of a cold start, and a read needs no schema (`docs/decisions/0054`). Schemas are built
 * synchronously, so the file is loaded with `require`.
 */
export const zodOnDemand: Plugin = {
  name: 'zod-on-demand',
  setup({ initialOptions, onResolve, onLoad, onEnd }) {
    const { outdir = '.' } = initialOptions;
    initialOptions.metafile = true;
    onResolve({ filter: /^zod$/ }, () => ({ path: 'zod', namespace: ZOD_NAMESPACE, sideEffects: false }));
    onLoad({ filter: /.*/, namespace: ZOD_NAMESPACE }, () => ({ contents: onDemand(), loader: 'js' }));
    onEnd(async ({ metafile }) => {
      const outputs = Object.values(metafile?.outputs ?? {});
      if (outputs.some(({ inputs }) => `${ZOD_NAMESPACE}:zod` in inputs)) await bundleZod(join(outdir, `${ZOD}.cjs`));
    });
  },
};

const ZOD_NAMESPACE = 'zod-on-demand';

function onDemand(): string {
  return [
    'let loaded;',
    `const zod = () => (loaded ??= load('${ZOD}'));`,
    ...FUNCTIONS.map((name) => `const _${name} = (...given) => zod().${name}(...given);`),
    ...CLASSES.map((name) => `const _${name} = { [Symbol.hasInstance]: (value) => value instanceof zod().${name} };`),
    ...OBJECTS.map((name) => `const _${name} = new Proxy({}, { get: (_, member) => zod().${name}[member] });`),
    `export { ${NAMES.map((name) => `_${name} as ${name}`).join(', ')} };`,
  ].join('\n');
}

const bundleZod = (outfile: string) =>
  build({ ...SCRIPT, stdin: { contents: `export { ${NAMES.join(', ')} } from 'zod';`, resolveDir: ROOT }, outfile });

const PART = 'part';

/**
 * Puts what our modules import when first needed (`import('./guesses.ts')`) into scripts of their own, which share no
 * module with the rest of the bundle. esbuild splits ES modules only. What packages import so is small, and stays in
 * the script.
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
      kind === 'dynamic-import' ? { path: resolve(resolveDir, path), namespace: PART } : undefined,
    );
    onLoad({ filter: /.*/, namespace: PART }, ({ path }) => ({
      contents: `module.exports = load('${nameOf(path)}');`,
      loader: 'js',
    }));
    onEnd(async ({ metafile }) => {
      const inputs = Object.values(metafile?.outputs ?? {}).flatMap((output) => Object.entries(output.inputs));
      const used = inputs.flatMap(([name, { bytesInOutput }]) =>
        name.startsWith(`${PART}:`) && bytesInOutput > 0 ? [name.slice(PART.length + 1)] : [],
      );
      const entryPoints = Object.fromEntries(used.map((path) => [nameOf(path), resolve(root, path)]));
      if (used.length > 0) await build({ ...options, absWorkingDir: root, entryPoints, entryNames: '[name]' });
    });
  },
};
