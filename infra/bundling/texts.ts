import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/**
 * Leaves out what contracts say of their fields and records by `.describe(…)`. Functions have no use for it: the document that one of them serves was
 * made before, from the source. It would be a twentieth of what they load, and a copy of each schema at every cold start.
 */
export const withoutTexts: Plugin = {
  name: 'without-texts',
  setup(build) {
    build.onLoad({ filter: /[\\/](functions[\\/][\w-]+|shared[\\/]contract)[\\/][\w-]+\.ts$/ }, async ({ path }) => ({
      contents: withoutDescriptions(await readFile(path, 'utf8')),
      loader: 'ts',
    }));
  },
};

/** What may hold a parenthesis that is none of the code, a call of `describe`, a parenthesis, or anything else. */
const TOKEN =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`|\.describe\(|[()]|[\s\S]/g;

/** The TypeScript source without its calls of a method `describe`. Lines stay where they are, for source maps. */
export function withoutDescriptions(source: string): string {
  let depth = 0;
  return source.replace(TOKEN, (token) => {
    if (depth === 0 && token !== '.describe(') return token;
    if (token.endsWith('(')) depth++;
    if (token === ')') depth--;
    return token.replace(/[^\n]/g, '');
  });
}
