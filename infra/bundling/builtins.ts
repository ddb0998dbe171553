import { builtinModules, createRequire } from 'node:module';
import type { Plugin } from 'esbuild';

const BUILTIN = new RegExp(`^(?:node:)?(?:${builtinModules.filter((name) => !name.startsWith('_')).join('|')})$`);

/**
 * Modules that few requests need, with their functions that are used: the first call of such a function loads its
 * module. `zlib` takes 5 ms; the SDK uses it for checksums that DynamoDB does not require, the service for long
 * responses under an idempotency key. The service reads files for the keys of a local installation. `timers/promises`
 * takes 1 ms, for the wait before a retry. The bundler refuses to import what is not listed.
 */
const ON_DEMAND: Readonly<Record<string, readonly string[]>> = {
  'fs/promises': ['chmod', 'link', 'mkdir', 'readFile', 'rm', 'stat', 'writeFile'],
  'timers/promises': ['setTimeout'],
  zlib: ['crc32', 'deflateRawSync', 'inflateRawSync'],
};

/**
 * Loads Node's own modules by `process.getBuiltinModule` instead of an ESM import. An import reads every export of the
 * module, and one export of `node:http` loads a whole WebSocket client: 24 ms instead of 2 at the first request
 * (https://nodejs.org/api/process.html#processgetbuiltinmoduleid).
 */
export const builtinsWithoutImport: Plugin = {
  name: 'builtins-without-import',
  setup(build) {
    build.onResolve({ filter: BUILTIN }, ({ path, kind }) => ({
      path: path.replace(/^node:/, ''),
      namespace: kind === 'import-statement' ? 'node-builtin' : 'node-builtin-whole',
      sideEffects: false,
    }));
    build.onLoad({ filter: /.*/, namespace: 'node-builtin' }, ({ path }) => ({
      contents: exportsOf(path),
      loader: 'js',
    }));
    build.onLoad({ filter: /.*/, namespace: 'node-builtin-whole' }, ({ path }) => ({
      contents: `module.exports = ${builtin(path)};`,
      loader: 'js',
    }));
  },
};

const require = createRequire(import.meta.url);

const builtin = (path: string): string => `process.getBuiltinModule('node:${path}')`;

/** Exports each name separately, so that unused ones are never read: reading some makes Node load further modules. */
function exportsOf(path: string): string {
  const functions = ON_DEMAND[path];
  if (functions !== undefined) {
    return functions
      .map((name) => `export const ${name} = (...input) => ${builtin(path)}.${name}(...input);`)
      .join('\n');
  }
  const names = Object.keys(require(`node:${path}`)).filter((name) => name !== 'default');
  return [
    `const module = /* @__PURE__ */ ${builtin(path)};`,
    'const read = (name) => module[name];',
    ...names.map((name, index) => `const _${index} = /* @__PURE__ */ read('${name}');`),
    `export { module as default, ${names.map((name, index) => `_${index} as ${name}`).join(', ')} };`,
  ].join('\n');
}
