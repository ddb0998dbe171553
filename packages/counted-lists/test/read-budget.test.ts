import { describe, expect, it } from 'vitest';
import { RecordsInMemory } from './records-in-memory.ts';

/** How much is read at once. */

const KB = 1_024;
/** Numbers that are far apart: of a list by state each is read by its key. */
const apart = (count: number): number[] => Array.from({ length: count }, (_, index) => index * 20);
/** The largest record. */
const LARGEST = 235 * KB;

describe('the records of a page', () => {
  it.each([{}, { filter: { state: 'rare' } }, { sort: '-created_at' }] as const)(
    'of the standard size are read, however large they are and though replicas are stale: %j',
    async (query) => {
      const numbers = apart(30);
      const list = new RecordsInMemory({ numbers, bytesOf: () => LARGEST, isStale: () => true });
      const page = await list.page(query);
      expect([page.numbers.length, page.total, page.isCut]).toEqual([25, 30, false]);
      expect(list.bytes).toBeLessThan(16 * 1_024 * KB);
    },
  );

  it('are all read of the largest page where they are small', async () => {
    const list = new RecordsInMemory({ numbers: apart(300), bytesOf: () => 20 * KB });
    const page = await list.page({ page_size: 200 });
    expect([page.numbers, page.isCut]).toEqual([apart(200), false]);
  });

  it.each([
    ['created_at', (all: number[], count: number) => all.slice(0, count)],
    ['-created_at', (all: number[], count: number) => all.toReversed().slice(0, count)],
  ])(
    'are the first ones of a page with more than one request reads, by %s, also where replicas are stale',
    async (sort, first) => {
      for (const isStale of [() => false, (number: number) => number % 100 === 40 || number % 100 === 60])
        for (const filter of [undefined, { state: 'rare' } as const]) {
          const numbers = apart(300);
          const list = new RecordsInMemory({
            numbers,
            bytesOf: () => LARGEST,
            isStale: (number) => isStale(number / 20),
          });
          const page = await list.page({ page_size: 200, sort, ...(filter && { filter }) });
          expect(page.isCut).toBe(true);
          expect(page.numbers).toEqual(first(numbers, page.numbers.length));
          expect(page.numbers.length).toBeGreaterThan(25);
          expect(list.bytes).toBeLessThan(33 * 1_024 * KB);
        }
    },
  );
});
