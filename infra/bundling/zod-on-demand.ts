import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');

/** What contracts use of zod. The bundler refuses to import what is not listed. */
const FUNCTIONS = [
  'array',
  'boolean',
  'custom',
  'email',
  'enum',
  'guid',
  'int',
  'int32',
  'ipv4',
  'ipv6',
  'literal',
  'looseObject',
  'number',
  'object',
  'registry',
  'strictObject',
  'string',
  'toJSONSchema',
  'unknown',
  'url',
];
/** Classes that schemas are compared with. */
const CLASSES = [
  'ZodArray',
  'ZodBoolean',
  'ZodCustom',
  'ZodDefault',
  'ZodEnum',
  'ZodNullable',
  'ZodObject',
  'ZodOptional',
];

/** Objects that something is taken of. */
const OBJECTS = ['regexes'];
const NAMES = [...FUNCTIONS, ...CLASSES, ...OBJECTS];

const FILE = 'zod.cjs';

/**
 * Puts zod into a file of its own, which is loaded when the first schema is built, and not when a function starts: with its 75 KB it takes a
 * tenth of a cold start, and a request that only reads needs no schema (`docs/decisions/0054`). Schemas are built without waiting, so it is
 * required and not imported.
 */
export const zodOnDemand: Plugin = {
  name: 'zod-on-demand',
  setup({ initialOptions, onResolve, onLoad, onEnd }) {
    const { outdir = '.' } = initialOptions;
    initialOptions.metafile = true;
    onResolve({ filter: /^zod$/ }, () => ({ path: 'zod', namespace: NAMESPACE, sideEffects: false }));
    onLoad({ filter: /.*/, namespace: NAMESPACE }, () => ({ contents: onDemand(), loader: 'js' }));
    onEnd(async ({ metafile }) => {
      const outputs = Object.values(metafile?.outputs ?? {});
      if (outputs.some(({ inputs }) => `${NAMESPACE}:zod` in inputs)) await bundleZod(join(outdir, FILE));
    });
  },
};

const NAMESPACE = 'zod-on-demand';

function onDemand(): string {
  return [
    `import { createRequire } from 'node:module';`,
    'let loaded;',
    `const zod = () => (loaded ??= createRequire(import.meta.url)('./${FILE}'));`,
    ...FUNCTIONS.map((name) => `const _${name} = (...given) => zod().${name}(...given);`),
    ...CLASSES.map((name) => `const _${name} = { [Symbol.hasInstance]: (value) => value instanceof zod().${name} };`),
    ...OBJECTS.map((name) => `const _${name} = new Proxy({}, { get: (_, member) => zod().${name}[member] });`),
    `export { ${NAMES.map((name) => `_${name} as ${name}`).join(', ')} };`,
  ].join('\n');
}

const bundleZod = (outfile: string) =>
  build({
    stdin: {
      contents: `export { ${NAMES.join(', ')} } from 'zod';`,
      resolveDir: ROOT,
    },
    outfile,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    bundle: true,
    minify: true,
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    mainFields: ['module', 'main'],
    logLevel: 'error',
  });
