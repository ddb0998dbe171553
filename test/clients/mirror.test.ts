import { expect, it } from 'vitest';
import { keepMirror, type Mirror } from '../../examples/mirror.ts';
import { CursorExpiredError } from '../../packages/client/src/index.ts';
import { fakeClient, json, refusal } from './fake.ts';

/** `test/events/mirror.property.sampled.test.ts` keeps mirrors while others write. */

it('a mirror whose cursor has expired is read anew, and forgets what is gone', async () => {
  const over = new Error('over');
  const { custodia } = fakeClient(({ target }) => {
    if (target.endsWith('after=latest')) return json({ data: [], next: 'now', more: false });
    if (target.includes('after=now')) return over;
    if (target.includes('/events')) return refusal('cursor-expired', 410);
    return json({ data: target.includes('/tickets') ? [{ id: 'a' }] : [], page: 1, page_size: 1, total: 1 });
  });
  const mirror: Mirror = { cursor: 'old', records: new Map([['gone', { version: 9, record: {} }]]) };
  const { signal } = new AbortController();
  await expect(keepMirror(custodia, mirror, signal)).rejects.toBeInstanceOf(CursorExpiredError);
  await expect(keepMirror(custodia, mirror, signal)).rejects.toBe(over);
  expect(mirror).toEqual({ cursor: 'now', records: new Map([['a', { version: 0, record: { id: 'a' } }]]) });
});
