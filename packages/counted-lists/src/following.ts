/** How a list is followed in the order of its numbers. */

export { counterKeyOf, generationOf, nextIn, raiseGeneration } from './counter-item.ts';
export { countFrom, endOfFeed, type FeedCounts, type FeedPage, type FollowedList, readFeed } from './feed.ts';
