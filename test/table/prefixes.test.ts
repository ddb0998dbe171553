import { BatchWriteCommand, DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { ids, type Key, listErrors } from '#lists';
import { textIndex } from '#lists/maintenance';
import { entity } from '#table';
import { itemsIn } from '../support/audit.ts';
import { TestList, useTable } from './test-list.ts';

/** Indexes of prefixes. That lists by prefix are what is stored: `lists.property.sampled.test.ts`. */

interface Shop {
  id: string;
  name: string;
  slug: string | null;
}

/** Texts that are read of a range. */
const MOST_TEXTS = 2_000;

const table = useTable();
const unique = { slug: (slug: string) => slug };
const A_SHOP = { name: 'Acme', slug: null };
const prefixes = { name: 'indexed', slug: 'claimed' } as const;
const shops = new TestList(table, entity<Shop>('SHOP', { prefixes, unique }), A_SHOP);
/** The previous release, which does not know prefixes. */
const before = new TestList(table, entity<Shop>('SHOP', { unique }), A_SHOP);

async function idsOf(prefix: string): Promise<string[]> {
  const { ids, total } = await shops.read({ q: prefix });
  expect(total).toBe(ids.length);
  return ids;
}
const differences = async (repair = false) => (await shops.verify(repair)).differences;
const entry = (text: string, number: number) =>
  textIndex.entryKey({ partition: shops.partition, index: 'name#PREFIX', text, number });
const put = (key: Key) => table.table.client.send(new PutCommand({ TableName: table.table.name, Item: { ...key } }));
const index = () => textIndex.partitionOf(shops.partition, 'name#PREFIX');

it('lists by a prefix are refused where more texts begin so than are read, and no sooner', async () => {
  const number = ids.numberOf(await shops.createId({ slug: 'acme' }));
  for (let next = number + 1; next < number + MOST_TEXTS; next += 25) {
    const numbers = Array.from({ length: Math.min(25, number + MOST_TEXTS - next) }, (_, index) => next + index);
    const puts = numbers.map((each) => ({ PutRequest: { Item: { ...entry('acme', each) } } }));
    await table.table.client.send(new BatchWriteCommand({ RequestItems: { [table.table.name]: puts } }));
  }
  const page = { q: 'acme', page: 2_001, page_size: 1 };
  await expect(shops.page(page)).resolves.toMatchObject({ total: MOST_TEXTS });
  await put(entry('acme', number + MOST_TEXTS));
  await expect(shops.page(page)).rejects.toThrow(listErrors.TooManyMatches);
  expect(await idsOf('acme b')).toEqual([]);
});

describe('an index of prefixes', () => {
  it('that is added later is refused until it is built, and kept right from then on', async () => {
    const first = await before.createId({ slug: 'one' });
    const second = await before.createId({ name: 'Bistro' });
    const gone = await before.createId();
    await expect(idsOf('acme')).rejects.toThrow(listErrors.ListNotBuilt);
    await shops.remove(gone);
    const renamed = await shops.createId({ name: 'Acme 2' });
    for (const repaired of [false, true])
      expect(await differences(repaired)).toMatchObject([{ kind: 'filter-not-built', field: 'name^', repaired }]);
    expect(await differences()).toEqual([]);
    expect([await idsOf('ACME'), await idsOf('on')]).toEqual([[first, renamed], [first]]);

    // The release before is still at work: it keeps the index of records that it changes.
    await before.change(second, { name: 'Acme 3' });
    await before.remove(renamed);
    expect([await differences(), await idsOf('acme')]).toEqual([[], [first, second]]);
  });

  it('is restored by the operator: a missing entry, one of another text, one without a record, and what is none', async () => {
    const [id, other] = [await shops.createId(), await shops.createId({ name: 'Bistro' })];
    const Key = { ...entry('acme', ids.numberOf(id)) };
    await table.table.client.send(new DeleteCommand({ TableName: table.table.name, Key }));
    for (const key of [entry('tasca', ids.numberOf(other)), entry('acme', 77), { PK: index(), SK: 'acme' }])
      await put(key);

    const expected = [
      ['wrongly-in-list', 'SHOP "acme" in name^ is no entry'],
      ['missing-in-list', `SHOP ${id} is missing in name^=acme`],
      ['wrongly-in-list', `SHOP ${other} is in name^=tasca and does not belong there`],
      ['wrongly-in-list', 'SHOP number 77 is in name^=acme and does not belong there'],
    ].toSorted();
    for (const repair of [false, true]) {
      const found = await differences(repair);
      expect(found.map((each) => [each.kind, each.text]).toSorted()).toEqual(expected);
      expect(found.every(({ repaired }) => repaired === repair)).toBe(true);
    }
    expect([await differences(), await idsOf('acme'), await idsOf('tasca')]).toEqual([[], [id], []]);
    expect(await itemsIn(table.table, index())).toHaveLength(2);
  });
});
