/** The library of that name (`site/scripts.ts`). */
declare const MiniSearch: typeof import('minisearch').default;
export default MiniSearch;
