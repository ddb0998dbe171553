/** The kinds of parameters of paths and queries: `import * as parameter from '#contract/parameter'`. */

export { cursor, date, flag, instant, limit, page, sort, view, WORDS, words } from './parameters.ts';
export { allOf, anyOf } from './several-values.ts';
