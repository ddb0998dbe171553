import type { BuildOptions } from 'esbuild';

/**
 * How esbuild makes a script: a file whose value is a function of `module`, which gets the exports, and of `load`,
 * which loads another script of the bundle (`start.ts`). V8 keeps a cache of compiled code for scripts, not for ES
 * modules.
 */
export const SCRIPT = {
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  banner: { js: '((module, load) => {' },
  footer: { js: '})' },
  bundle: true,
  minify: true,
  sourcemap: 'external',
  sourcesContent: false,
  legalComments: 'none',
  // The bundler can leave out unused parts of ES modules, but not of a package's CommonJS build.
  mainFields: ['module', 'main'],
  logLevel: 'error',
} as const satisfies BuildOptions;

/** The script that holds the handler. */
export const MAIN = 'main';

/** The end of the name of a code cache. */
export const CODE_CACHE = '.cache';

/**
 * V8's cache of a script's compiled code, for the running Node: `main.cjs.arm64-v24.21.0.cache`. Nothing of another one
 * is read.
 */
export const codeCacheOf = (script: string): string => `${script}.${process.arch}-${process.version}${CODE_CACHE}`;
