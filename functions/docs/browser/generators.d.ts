/** What `site/samples/generators.ts` is bundled to. */
export { samplesFor } from '../site/samples/generators.ts';
