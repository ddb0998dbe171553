import { expect, it } from 'vitest';
import { once } from '../../shared/once.ts';

it('what is made once is made once for all that ask at once, kept, and made again only after a failure', async () => {
  let made = 0;
  const make = once(async () => {
    made += 1;
    if (made === 1) throw new Error('not yet');
    return made;
  });
  const failed = await Promise.allSettled([make(), make()]);
  expect([failed.map(({ status }) => status), made]).toEqual([['rejected', 'rejected'], 1]);
  expect(await Promise.all([make(), make()])).toEqual([2, 2]);
  expect(await make()).toBe(2);
});
