import { join } from 'node:path';
import type { Plugin } from 'esbuild';

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
const CLASSES = ['ZodArray', 'ZodCustom', 'ZodDefault', 'ZodNullable', 'ZodObject', 'ZodOptional'];

/**
 * Evaluates zod when the first schema is built, and not when a function starts: it takes 9 of 100 ms, and a request that only reads needs no schema
 * (`docs/decisions/0129`). `require` is what makes the bundler evaluate an ES module late.
 */
export const zodOnDemand: Plugin = {
  name: 'zod-on-demand',
  setup(build) {
    build.onResolve({ filter: /^zod$/ }, ({ namespace }) =>
      namespace === 'zod-used' ? undefined : { path: 'zod', namespace: 'zod-on-demand', sideEffects: false },
    );
    build.onLoad({ filter: /.*/, namespace: 'zod-on-demand' }, () => ({ contents: onDemand(), loader: 'js' }));
    build.onResolve({ filter: /^zod-used$/ }, () => ({ path: 'zod', namespace: 'zod-used' }));
    build.onLoad({ filter: /.*/, namespace: 'zod-used' }, () => ({
      contents: `export { ${[...FUNCTIONS, ...CLASSES].join(', ')} } from 'zod';`,
      loader: 'js',
      resolveDir: ROOT,
    }));
  },
};

function onDemand(): string {
  return [
    `const zod = () => require('zod-used');`,
    ...FUNCTIONS.map((name) => `const _${name} = (...given) => zod().${name}(...given);`),
    ...CLASSES.map((name) => `const _${name} = { [Symbol.hasInstance]: (value) => value instanceof zod().${name} };`),
    `export { ${[...FUNCTIONS, ...CLASSES].map((name) => `_${name} as ${name}`).join(', ')} };`,
  ].join('\n');
}
