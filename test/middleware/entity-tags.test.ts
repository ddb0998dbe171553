import { expect, it } from 'vitest';
import { entityTag, listTag } from '../../shared/http/response.ts';

/** One digest in 64 would end with a dash, which `--gzip` of a proxy begins with. */
it('no tag ends with what a proxy may add to it', () => {
  const bodies = Array.from({ length: 1_000 }, (_, index) => String(index));
  const tags = bodies.flatMap((body) => [entityTag(1, body), listTag(body)]);
  expect(tags.filter((tag) => tag.endsWith('-"'))).toEqual([]);
});
