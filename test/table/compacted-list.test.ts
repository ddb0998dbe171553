import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, storedSets } from '@custodia/counted-lists';
import { expect, it } from 'vitest';
import { entity } from '#table';
import { itemsIn } from '../support/audit.ts';
import { BLOCK_SIZE, bitPlace, compressedItem, STRIPES, WORD_NAMES } from '../support/bits.ts';
import { TestList, useTable } from './test-list.ts';

/** Gaps of a list in the embedded DynamoDB, whose readers compress them; the sampled test has the interleavings. */

interface Job {
  readonly id: string;
  readonly state: string;
}

const DAY = 86_400_000;
/** In whole seconds. It is the real time, by which DynamoDB Local deletes what has expired. */
const NOW = Math.floor(Date.now() / 1_000) * 1_000;

const table = useTable(NOW);
const jobs = new TestList(table, entity<Job>('JOB'), { state: 'open' });

const put = (item: Item) => table.table.client.send(new PutCommand({ TableName: table.table.name, Item: { ...item } }));
const FULL_WORD = 2n ** 100n - 1n;
const setOf = ({ partition } = jobs) => itemsIn(table.table, storedSets.partitionOf(partition));
const kindsOf = async (list = jobs) => (await setOf(list)).map(({ SK }) => String(SK).slice(0, 2));
const bits = async () => (await kindsOf()).filter((kind) => kind === 'B#').length;

/** Makes gaps of two blocks' numbers but for some, as deleting their records leaves them. */
async function deleteBlocks(first: number, kept: readonly number[], { partition } = jobs): Promise<void> {
  const PK = storedSets.partitionOf(partition);
  const places = kept.map(bitPlace);
  const items = Array.from({ length: 2 * STRIPES }, (_, index) => {
    const { sortKey: SK } = bitPlace((first + Math.floor(index / STRIPES)) * BLOCK_SIZE + (index % STRIPES));
    const wordOf = (name: string) =>
      places.reduce((rest, { sortKey, word, bit }) => (sortKey === SK && word === name ? rest - bit : rest), FULL_WORD);
    return { PK, SK, ...Object.fromEntries(WORD_NAMES.map((word) => [word, wordOf(word)])) };
  });
  await Promise.all(items.map(put));
}

const newest = (days: number) => jobs.read({ sort: '-created_at' }, { at: NOW + days * DAY });

/** Reads until no read changes what is stored. */
async function readUntilCompact(days: number): Promise<void> {
  for (let before = '', now = (await kindsOf()).join(); now !== before; ) {
    before = now;
    await newest(days);
    now = (await kindsOf()).join();
  }
}

it('gaps are compressed, and a day later are in no words any more: the list stays the same', async () => {
  const first = await jobs.createId();
  await jobs.skip(2 * BLOCK_SIZE - 1, NOW);
  await deleteBlocks(0, [0]);
  const others = [await jobs.createId(), await jobs.createId()];
  const list = { total: 3, ids: [...others.toReversed(), first] };

  expect([await newest(0), await newest(0.9), await bits()]).toEqual([list, list, 2 * STRIPES]);
  expect([await newest(1.1), await bits()]).toEqual([list, 2 * STRIPES - 25]);
  await readUntilCompact(1.1);
  expect([await newest(1.1), await kindsOf()]).toEqual([list, ['HE', 'R#']]);

  // What is deleted from now on is in a word again, until there is enough to compress.
  await jobs.remove(first);
  const left = { total: 2, ids: others.toReversed() };
  await readUntilCompact(9);
  expect([await newest(9), await bits()]).toEqual([left, 1]);
  await jobs.skip(2 * BLOCK_SIZE - 2, NOW);
  await deleteBlocks(2, [2 * BLOCK_SIZE, 2 * BLOCK_SIZE + 1]);
  expect(await newest(9)).toEqual(left);
  await readUntilCompact(11);
  expect([await newest(11), await kindsOf()]).toEqual([left, ['HE', 'R#']]);
  expect(await jobs.verify(false)).toMatchObject({ differences: [] });
});

it('a list whose records expire has no compressed gaps: its words expire', async () => {
  const events = new TestList(table, entity<Job>('EVENT', { retentionDays: 30 }), { state: 'open' });
  await events.createId();
  await events.skip(2 * BLOCK_SIZE - 1, NOW);
  await deleteBlocks(0, [0], events);
  expect((await events.read({ sort: '-created_at' })).total).toBe(1);
  expect(new Set(await kindsOf(events))).toEqual(new Set(['B#', 'HE']));
});

it('verify recounts compressed gaps, and repairs them', async () => {
  const made = [await jobs.createId(), await jobs.createId(), await jobs.createId()];
  await jobs.remove(made[2] ?? '');
  // The compressed gaps have the second record, and the third, which no word has.
  const PK = storedSets.partitionOf(jobs.partition);
  const putGaps = (gaps: readonly number[]) => put({ PK, ...compressedItem(gaps), AT: NOW });
  await putGaps([1, 2]);
  await table.update({ PK, SK: bitPlace(2).sortKey }, 'SET W0 = :none', { ':none': 0 });
  expect((await newest(0)).total).toBe(1);
  const differences = [{ kind: 'hidden-record', id: made[1] }];
  expect(await jobs.verify(false)).toMatchObject({ differences });
  expect(await jobs.verify(true)).toMatchObject({ differences: [{ ...differences[0], repaired: true }] });
  expect(await newest(0)).toEqual({ total: 2, ids: [made[1], made[0]] });

  await putGaps([]);
  expect(await jobs.verify(true)).toMatchObject({ differences: [{ kind: 'lost-number', repaired: true }] });
  expect([await newest(0), (await jobs.verify(false)).differences]).toEqual([
    { total: 2, ids: [made[1], made[0]] },
    [],
  ]);
});
