/** The library of that name (`site/scripts.ts`). */
export { default } from 'minisearch';
