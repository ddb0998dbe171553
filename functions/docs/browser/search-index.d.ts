/** What `site/search-index.ts` makes. */
export declare const stem: number;
export declare const kinds: readonly string[];
export declare const pages: readonly string[];
export declare const entries: readonly (readonly [
  kind: number,
  page: number,
  anchor: string | 0,
  title: string,
  context: string | number,
  words: string,
])[];
