/** Most tickets that are merged into one, with those that are merged into these. */
export const MOST_MERGED = 10;
