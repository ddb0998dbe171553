import { listErrors } from '@custodia/counted-lists';
import { afterEach, expect, it, vi } from 'vitest';
import { entity, words } from '#table';
import { wordsIn } from '../support/audit.ts';
import { COUNTER } from '../support/bits.ts';
import { TestList, useTable } from './test-list.ts';

/** Lists whose words a setting of the stage leaves out (`docs/decisions/0170-filters.md`). */

interface Shop {
  id: string;
  name: string;
}

const table = useTable();
const A_SHOP = { name: 'Acme' };
const isOff = vi.fn(() => false);
const shops = new TestList(table, entity<Shop>('SHOP', { indexes: [words(['name'], { isLeftOut: isOff })] }), A_SHOP);
/** A container that is not replaced yet. */
const late = new TestList(
  table,
  entity<Shop>('SHOP', { indexes: [words(['name'], { isLeftOut: () => true })] }),
  A_SHOP,
);

afterEach(() => isOff.mockReset());

const found = async (q: string): Promise<readonly string[]> => (await shops.read({ q })).ids;
const entries = async (): Promise<number> => (await wordsIn(table.table, shops.partition)).length;
const differences = async (repair = false) =>
  (await shops.verify(repair)).differences.map(({ kind, field, repaired }) => [kind, field, repaired]);

it('write no entries of new records, and are refused', async () => {
  isOff.mockReturnValue(true);
  await shops.createId();
  expect(await entries()).toBe(0);
  await expect(found('acme')).rejects.toThrow(listErrors.NotOffered);
  expect(await differences(true)).toEqual([]);
});

it('keep the entries of the records that have them right', async () => {
  const [kept, gone] = [await shops.createId(), await shops.createId()];
  isOff.mockReturnValue(true);
  await shops.change(kept, { name: 'Bistro' });
  await shops.remove(gone);
  expect([await entries(), await differences()]).toEqual([1, []]);
  isOff.mockReturnValue(false);
  expect([await found('bis'), await found('acme')]).toEqual([[kept], []]);
});

it('are built again by the operator, and decided by the records until then', async () => {
  const first = await shops.createId();
  isOff.mockReturnValue(true);
  const second = await shops.createId();
  isOff.mockReturnValue(false);
  const third = await shops.createId();
  const all = { ids: [first, second, third] };
  expect(await shops.found({ q: 'acme' })).toEqual({ ...all, by: 'records' });
  expect(await differences(true)).toEqual([['filter-not-built', 'words~', true]]);
  expect(await shops.found({ q: 'acme' })).toEqual({ ...all, by: 'indexes' });
});

it('are decided by the records again when a container that leaves words out writes once more', async () => {
  const all = { ids: [await shops.createId(), await late.createId()] };
  expect(await shops.found({ q: 'acme' })).toEqual({ ...all, by: 'records' });
  await differences(true);
  expect(await shops.found({ q: 'acme' })).toEqual({ ...all, by: 'indexes' });
});

it('note it before the record is written', async () => {
  await shops.createId();
  const sent: unknown[] = [];
  table.table.client.middlewareStack.add(
    (next) => (call) => {
      const { Key: key, Item: record } = call.input as { Key?: { SK?: unknown }; Item?: object };
      if (key?.SK === COUNTER || record !== undefined) sent.push(record === undefined ? 'counter item' : 'record');
      return next(call);
    },
    { step: 'initialize', name: 'order' },
  );
  try {
    for (const expected of [
      ['counter item', 'counter item', 'counter item', 'record'],
      ['counter item', 'record'],
    ]) {
      sent.length = 0;
      await late.createId();
      expect(sent).toEqual(expected);
    }
  } finally {
    table.table.client.middlewareStack.remove('order');
  }
});
