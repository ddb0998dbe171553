import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { type Item, type Key, schema, storedSets } from '@custodia/counted-lists';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { entity, set, tenantKey, uniqueKey } from '#table';
import { countedBy, kind, quotaOf } from '../../operator/maintenance/verify/kinds.ts';
import { verify } from '../../operator/maintenance/verify/verify.ts';
import { itemsIn } from '../support/audit.ts';
import { COUNTER } from '../support/bits.ts';
import { byExtent } from '../support/extent.ts';
import { openTenant } from '../support/storage.ts';
import { newOrganization, TestList, useTable } from './test-list.ts';

/** Whatever follows from records, broken by hand in any way: it is found, and repaired every item is as it was. */

interface Shelf {
  id: string;
  label: string;
  room: string;
  books: number;
}
interface Book {
  id: string;
  shelf_id: string;
}

const table = useTable();
const lower = (label: string): string => label.toLowerCase();
const shelves = new TestList(table, entity<Shelf>('SHELF', { indexes: [set('room')], unique: { label: lower } }), {
  books: 0,
});
const books = new TestList(table, entity<Book>('BOOK', { indexes: [set('shelf_id')] }));
const kinds = [
  kind(shelves.entity, {
    counters: { books: [countedBy(books.entity, 'shelf_id')] },
    quota: quotaOf<Shelf>({ USED: () => true, FULL: ({ room }) => room === 'hall' }),
    values: { room: ['hall', 'attic'] },
  }),
  kind(books.entity, { values: { shelf_id: [shelves.entity] } }),
];
const differences = async (repair: boolean) =>
  (await verify(openTenant(table.table, table.org), kinds, { repair })).differences;

interface Library {
  readonly shelves: readonly string[];
  readonly books: readonly string[];
}

/** Three shelves and four books, one of which is gone; not the last, whose number would be its list's next one again. */
async function fill(): Promise<Library> {
  newOrganization(table);
  const made: Record<keyof Library, string[]> = { shelves: [], books: [] };
  for (const [index, room] of ['hall', 'hall', 'attic'].entries())
    made.shelves.push(await shelves.createId({ label: `Label ${index}`, room }));
  for (const index of [0, 0, 1, 2]) made.books.push(await books.createId({ shelf_id: made.shelves[index] ?? '' }));
  await books.remove(made.books[1] ?? '');
  await differences(true);
  expect(await differences(false)).toEqual([]);
  return made;
}

const tenant = () => table.open().id;
const setOf = (list: string, field?: string, value?: string) => storedSets.partitionOf(list, field, value);

/** The items of the organization that say something. */
async function dump({ shelves: ids }: Library): Promise<ReadonlyMap<string, Item>> {
  const partitions = [
    ...[shelves.partition, books.partition].flatMap((list) => [list, setOf(list)]),
    ...['hall', 'attic'].map((room) => setOf(shelves.partition, 'room', room)),
    ...ids.map((id) => setOf(books.partition, 'shelf_id', id)),
    ...[uniqueKey(tenant(), 'SHELF', 'label', '').PK, tenantKey(tenant(), 'QUOTA', 'SHELF').PK],
  ];
  const items = (await Promise.all(partitions.map((each) => itemsIn(table.table, each)))).flat();
  // An empty item of a set may be deleted at any time.
  const kept = items.filter(({ W0 }) => W0 !== 0);
  return new Map(kept.map(({ [schema.WRITE_ID]: _, ...item }) => [`${item.PK} ${item.SK}`, item]));
}

/** What an item may be instead; undefined: gone. */
function damagedOf(item: Item, { shelves: ids }: Library): readonly (Item | undefined)[] {
  const [one = ''] = ids;
  if ('holder' in item) {
    const holders = [...ids, `${one.slice(0, -1)}x`, 'nobody', 7].filter((holder) => holder !== item.holder);
    return [undefined, { ...item, SK: 'of nobody' }, ...holders.map((holder) => ({ ...item, holder }))];
  }
  if ('USED' in item)
    return [undefined, { ...item, USED: 9 }, { ...item, FULL: -1 }, { ...item, USED: 'x', FULL: null }];
  if ('books' in item) {
    const { books: _, ...others } = item;
    return [others, ...[9, -1, 1.5, 'x', null].map((count) => ({ ...item, books: count }))];
  }
  if (item.SK === COUNTER) return [{ ...item, NEXT: 1 }];
  const isOfGaps = [shelves, books].some(({ partition }) => item.PK === setOf(partition));
  if (item.W0 === undefined || isOfGaps) return [];
  return [undefined, ...[0, 1, 2, 3, 5, -1, 2n ** 100n].map((W0) => ({ ...item, W0 }))];
}

const put = (made: Item) => table.table.client.send(new PutCommand({ TableName: table.table.name, Item: { ...made } }));
const remove = ({ PK, SK }: Item) =>
  table.table.client.send(new DeleteCommand({ TableName: table.table.name, Key: { PK, SK } as Key & Item }));

async function damage(all: ReadonlyMap<string, Item>, library: Library, choices: readonly number[]): Promise<void> {
  const possible = [...all.values()].flatMap((item) => damagedOf(item, library).map((other) => ({ item, other })));
  for (const choice of choices) {
    const { item, other } = possible[choice % possible.length] as (typeof possible)[number];
    await (other === undefined ? remove(item) : put(other));
  }
}

const choices = fc.array(fc.nat(10_000), { minLength: 1, maxLength: 4 });

it('what is broken is found and repaired: every item is as it was', async () => {
  const library = await fill();
  const before = await dump(library);
  await fc.assert(
    fc.asyncProperty(choices, async (chosen) => {
      await damage(before, library, chosen);
      const isBroken = !equal(await dump(library), before);
      expect((await differences(false)).length > 0).toBe(isBroken);
      expect((await differences(true)).filter(({ repaired }) => !repaired)).toEqual([]);
      expect(await differences(false)).toEqual([]);
      expect(await dump(library)).toEqual(before);
    }),
    { numRuns: byExtent({ sample: 6, extended: 40, nightly: 400 }), endOnFailure: true },
  );
});

const equal = (one: ReadonlyMap<string, Item>, other: ReadonlyMap<string, Item>): boolean => {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    return false;
  }
};
