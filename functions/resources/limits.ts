/** Most resources that are moved with their service: a transaction has a hundred items. */
export const MOST_MOVED = 20;
