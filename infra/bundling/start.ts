import { codeCacheOf, MAIN } from './script.ts';

/**
 * `index.mjs` of every bundle: loads the scripts beside it, with V8's caches of their compiled code
 * (`docs/decisions/0054`). A cache that is missing, or that V8 rejects, only costs the time of compiling. Node's
 * modules are taken without an import (`builtins.ts`).
 */

// Lambda's runtime starts Node with this flag. V8 takes no cache that was made with other flags, and so not that of
// Node's own modules: loading `https` then takes twice as long. `globalThis.gc` stays.
process.getBuiltinModule('node:v8').setFlagsFromString('--no-expose-gc');

const { readFileSync } = process.getBuiltinModule('node:fs');
const { Script } = process.getBuiltinModule('node:vm');

interface Bundled {
  readonly handler?: unknown;
  readonly started?: Promise<void>;
}

function load(name: string): Bundled {
  const filename = `${import.meta.dirname}/${name}.cjs`;
  const cachedData = cacheOf(filename);
  const script = new Script(readFileSync(filename, 'utf8'), { filename, ...(cachedData && { cachedData }) });
  if (script.cachedDataRejected !== false) process.env.CODE_CACHE = 'missed';
  const module = { exports: {} };
  script.runInThisContext()(module, load);
  return module.exports;
}

function cacheOf(filename: string): Buffer | undefined {
  try {
    return readFileSync(codeCacheOf(filename));
  } catch {
    return undefined;
  }
}

const { handler, started } = load(MAIN);
await started;

export { handler };
