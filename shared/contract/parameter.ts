/** The kinds of parameters of paths and queries: `import * as parameter from '#contract/parameter'`. */

export { parameterOf as filter } from './list-parameter.ts';
export { cursor, date, flag, instant, limit, page, sort, view, WORDS, words } from './parameters.ts';
export { allOf, anyOf } from './several-values.ts';
