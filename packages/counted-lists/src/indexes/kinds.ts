/** The kinds of indexes, and what records note of those in which they are. */

export { claimedField, exactIndex, flagIndex, orderIndex, queueIndex, setIndex, wordsIndex } from './field-indexes.ts';
export { Indexes } from './indexes.ts';
export { SETS } from './list-index.ts';
