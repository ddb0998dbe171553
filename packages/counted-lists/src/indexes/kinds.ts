/** The kinds of indexes, and what records note of those in which they are. */

export { claimedField, exactIndex, flagIndex, hashOf, orderIndex, setIndex, wordsIndex } from './field-indexes.ts';
export { Indexes } from './indexes.ts';
export { type Finder, namesIn, namesWith, SETS } from './list-index.ts';
