import { ids, type Key, schema, storedSets, type Table } from '@custodia/counted-lists';
import { describe, expect, it } from 'vitest';
import { entity, PLATFORM, set, tenantKey, tenantPartition } from '#table';
import { MOVES } from '#table/storage';
import { countedBy, type Kind, kind, quotaOf } from '../../operator/maintenance/verify/kinds.ts';
import { verify } from '../../operator/maintenance/verify/verify.ts';
import { bitPlace } from '../support/bits.ts';
import { openTenant, tableAt } from '../support/storage.ts';
import { TestList, useTable } from './test-list.ts';

/** What verifying does where others are at work, step by step. */

interface Shelf {
  id: string;
  books: number;
}
interface Book {
  id: string;
  shelf_id: string;
}

const table = useTable();
const shelves = new TestList(table, entity<Shelf>('SHELF'), { books: 1 });
const books = new TestList(table, entity<Book>('BOOK', { indexes: [set('shelf_id')] }));
const lines = new TestList(
  table,
  entity<{ id: string; level: string }>('LINE', { indexes: [set('level')], retentionDays: 30 }),
);

type Input = { readonly Key?: Key; readonly ExpressionAttributeValues?: object };
/** A table with a step before each call of it, and perhaps one after. */
function withStep(step: (input: Input) => Promise<(() => Promise<void>) | undefined>): Table {
  const made = tableAt(table.place);
  made.client.middlewareStack.add(
    (next) => async (request) => {
      const then = await step(request.input as Input);
      const response = await next(request);
      await then?.();
      return response;
    },
    { step: 'initialize', priority: 'high' },
  );
  return made;
}
const look = async (at: Table, kinds: readonly Kind[], repair = true, org = table.org) =>
  (await verify(openTenant(at, org), kinds, { repair })).differences;

describe('a counter whose record is moved whenever it is read', () => {
  const kinds = [
    kind(shelves.entity, { counters: { books: [countedBy(books.entity, 'shelf_id')] } }),
    kind(books.entity),
  ];

  async function lookAtMoved(times: number) {
    const id = await shelves.createId({ books: 5 });
    await books.create({ shelf_id: id });
    const key = { PK: shelves.partition, SK: ids.sortKeyOf(ids.numberOf(id)) };
    let left = times;
    const moving = withStep(async ({ Key }) => {
      if (Key?.PK === key.PK && Key.SK === key.SK && left-- > 0)
        await table.update(key, `ADD #${MOVES} :one`, { ':one': 1 });
      return undefined;
    });
    return { id, found: await look(moving, kinds) };
  }

  it('is counted once it stands still', async () => {
    const { found } = await lookAtMoved(30);
    expect(found).toMatchObject([{ kind: 'counter', field: 'books', repaired: true }]);
    expect(await look(table.table, kinds, false)).toEqual([]);
  });

  it('is reported as busy if it never does, and left as it is', async () => {
    const { id, found } = await lookAtMoved(Number.POSITIVE_INFINITY);
    const text = `SHELF ${id} changes too fast to be verified`;
    const reason = 'others change it all the time: try again later';
    expect(found).toEqual([{ kind: 'busy', entity: 'SHELF', id, text, repaired: false, reason }]);
    expect((await shelves.records().get(id))?.record.books).toBe(5);
  });
});

describe('a quota', () => {
  const inUse = [kind(shelves.entity, { quota: quotaOf<Shelf>({ USED: () => true, FULL: ({ books }) => books > 1 }) })];

  /** A record more, and its count. */
  async function grow(): Promise<void> {
    await shelves.create();
    await table.update(tenantKey(table.open().id, 'QUOTA', 'SHELF'), `ADD USED :one, #${MOVES} :one`, { ':one': 1 });
  }

  it.each([false, true])('is right where records come while they are counted: repair %s', async (repair) => {
    await grow();
    let counts = 0;
    const growing = withStep(async ({ ExpressionAttributeValues: values = {} }) => {
      if (!Object.values(values).includes(shelves.partition)) return undefined;
      counts += 1;
      if (counts > 1 && counts < 5) await grow();
      return counts === 1 ? grow : undefined;
    });
    expect(await look(growing, inUse, repair)).toEqual([]);
    expect(counts).toBe(5);
  });

  it('is none of the platform’s', async () => {
    const tenant = openTenant(table.table, '');
    await tenant.records(shelves.entity).create({ fields: { books: 1 } });
    await tenant.session.commit();
    expect(tenant.id).toBe(PLATFORM);
    expect(await look(table.table, inUse, false, '')).toEqual([]);
  });
});

/** It is kept for as long as a record that is repaired needs it, or another record in it. In seconds. */
it.each([
  [-86_400, 0],
  [86_400, 86_400],
])('the item of a set whose records expire is kept long enough: %i', async (wrong, kept) => {
  const id = await lines.createId({ level: 'info' });
  const { sortKey, word, bit } = bitPlace(ids.numberOf(id));
  const key = { PK: storedSets.partitionOf(tenantPartition(table.open().id, 'LINE'), 'level', 'info'), SK: sortKey };
  const right = Number((await table.item(key))?.[schema.TTL]);
  const values = { ':minus': -bit, ':ttl': right + wrong };
  await table.update(key, `ADD #${word} :minus SET #${schema.TTL} = :ttl`, values);
  expect((await lines.verify(true)).differences).toMatchObject([{ kind: 'missing-in-list', repaired: true }]);
  expect((await table.item(key))?.[schema.TTL]).toBe(right + kept);
});
