/** How a list is followed in the order of its numbers. */

export { counterKeyOf } from './counter-item.ts';
export { type FeedPage, readFeed } from './feed.ts';
export { countFrom, type FeedCounts } from './feed-count.ts';
export { endOfFeed } from './feed-end.ts';
export { type FollowedList, nextIn } from './feed-numbers.ts';
export { generationOf, raiseGeneration } from './generation.ts';
