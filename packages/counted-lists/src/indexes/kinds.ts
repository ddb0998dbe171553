/** The kinds of indexes, and what records note of those in which they are. */

export { claimedField, exactIndex, hashOf } from './exact-index.ts';
export { flagIndex } from './flag-index.ts';
export { Indexes } from './indexes.ts';
export { type Finder, namesIn, namesWith, SETS } from './list-index.ts';
export { orderIndex } from './order-index.ts';
export { setIndex } from './set-index.ts';
export { wordsIndex } from './words-index.ts';
