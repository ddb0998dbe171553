import { randomUUID } from 'node:crypto';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../shared/clock.ts';
import type { Table } from '../../shared/table/connection/client.ts';
import { type Key, PLATFORM, quotaKey, recordsPartition, setPartition } from '../../shared/table/keys.ts';
import { bitPlace } from '../../shared/table/lists/bits.ts';
import { numberOf, sortKeyOf } from '../../shared/table/lists/ids.ts';
import { entity } from '../../shared/table/repository/entity.ts';
import { MOVES, TTL_ATTRIBUTE } from '../../shared/table/schema.ts';
import { Session } from '../../shared/table/session.ts';
import { Tenant } from '../../shared/table/tenant.ts';
import { countedBy, type Kind, kind, quotaOf } from '../../shared/table/verify/kinds.ts';
import { verify } from '../../shared/table/verify/verify.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import { tableAt } from '../support/storage.ts';

/** What verifying does where others are at work, step by step. */

interface Shelf {
  id: string;
  books: number;
}
interface Book {
  id: string;
  shelf_id: string;
}
interface Note {
  id: string;
  level: string;
}

const shelfEntity = entity<Shelf>('SHELF');
const bookEntity = entity<Book>('BOOK', { filters: ['shelf_id'] });
const noteEntity = entity<Note>('NOTE', { filters: ['level'], retentionDays: 30 });
const shelves: readonly Kind[] = [
  kind(shelfEntity, { counters: { books: [countedBy(bookEntity, 'shelf_id')] } }),
  kind(bookEntity),
];

let place: FreshTable;
let table: Table;
beforeAll(async () => {
  place = await freshTable();
  table = tableAt(place);
});

const open = (org: string, at = table): Tenant =>
  Tenant.ofOperator(org, new Session(at, systemClock, systemClock() + 10_000));

async function create<T extends { id: string }>(org: string, kindOf: ReturnType<typeof entity<T>>, fields: object) {
  const tenant = open(org);
  const { record } = await tenant.records(kindOf).create(fields as never);
  await tenant.session.commit();
  return record.id;
}

const keyOf = (org: string, name: string, id: string): Key => ({
  PK: recordsPartition(open(org).id, name),
  SK: sortKeyOf(numberOf(id)),
});

const update = (key: Key, expression: string, values: Record<string, unknown>, names: Record<string, string>) =>
  table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { ...key },
      UpdateExpression: expression,
      ExpressionAttributeValues: values,
      ExpressionAttributeNames: names,
    }),
  );

/** Moves an item before so many of the reads of it; answers the table with which it is read. */
function movedBeforeReads(key: Key, times: number): Table {
  const moving = tableAt(place);
  let left = times;
  moving.client.middlewareStack.add(
    (next) => async (request) => {
      const { Key: asked } = request.input as { Key?: { PK?: unknown; SK?: unknown } };
      const isItem = asked?.PK === key.PK && asked.SK === key.SK;
      if (isItem && left-- > 0) await update(key, 'ADD #moves :one', { ':one': 1 }, { '#moves': MOVES });
      return next(request);
    },
    { step: 'initialize', priority: 'high' },
  );
  return moving;
}

describe('a counter whose record is moved whenever it is read', () => {
  async function miscounted() {
    const org = randomUUID();
    const shelf = await create(org, shelfEntity, { books: 5 });
    await create(org, bookEntity, { shelf_id: shelf });
    return { org, shelf, key: keyOf(org, shelfEntity.name, shelf) };
  }

  it('is counted once it stands still', async () => {
    const { org, key } = await miscounted();
    const { differences } = await verify(open(org, movedBeforeReads(key, 30)), shelves, { repair: true });
    expect(differences).toMatchObject([{ kind: 'counter', field: 'books', repaired: true }]);
    expect((await verify(open(org), shelves, { repair: false })).differences).toEqual([]);
  });

  it('is told as busy if it never does, and left as it is', async () => {
    const { org, shelf, key } = await miscounted();
    const busy = movedBeforeReads(key, Number.POSITIVE_INFINITY);
    const { differences } = await verify(open(org, busy), shelves, { repair: true });
    expect(differences).toEqual([
      {
        kind: 'busy',
        entity: 'SHELF',
        id: shelf,
        text: `SHELF ${shelf} changes too fast to be counted`,
        repaired: false,
        reason: 'others change it all the time: try again later',
      },
    ]);
    expect((await open(org).records(shelfEntity).get(shelf))?.record.books).toBe(5);
  });
});

describe('a quota', () => {
  const shelvesInUse: readonly Kind[] = [
    kind(shelfEntity, { quota: quotaOf<Shelf>({ USED: () => true, FULL: ({ books }) => books > 1 }) }),
  ];

  /** A record more, and its count. */
  async function grow(org: string): Promise<void> {
    await create(org, shelfEntity, { books: 1 });
    const key = quotaKey(open(org).id, shelfEntity.name);
    await update(key, 'ADD USED :one, #moves :one', { ':one': 1 }, { '#moves': MOVES });
  }

  it.each([false, true])('is right where records come while they are counted: repair %s', async (repair) => {
    const org = randomUUID();
    await grow(org);
    const growing = tableAt(place);
    let counts = 0;
    growing.client.middlewareStack.add(
      (next) => async (request) => {
        const { ExpressionAttributeValues: values } = request.input as { ExpressionAttributeValues?: object };
        const isCount = Object.values(values ?? {}).includes(recordsPartition(open(org).id, shelfEntity.name));
        if (isCount) counts += 1;
        if (isCount && counts > 1 && counts < 5) await grow(org);
        const response = await next(request);
        if (isCount && counts === 1) await grow(org);
        return response;
      },
      { step: 'initialize', priority: 'high' },
    );
    expect((await verify(open(org, growing), shelvesInUse, { repair })).differences).toEqual([]);
    expect(counts).toBe(5);
  });

  it('is none of the platform’s', async () => {
    await create(PLATFORM, shelfEntity, { books: 1 });
    expect((await verify(open(PLATFORM), shelvesInUse, { repair: false })).differences).toEqual([]);
  });
});

describe('the item of a set whose records expire', () => {
  /** Takes a note out of its list, gives the item of the set this expiry, and has it repaired: the expiry afterwards. */
  async function repairedWith(expiry: (right: number) => number): Promise<{ right: number; after: unknown }> {
    const org = randomUUID();
    const id = await create(org, noteEntity, { level: 'info' });
    const { sortKey, word, bit } = bitPlace(numberOf(id));
    const key = { PK: setPartition(recordsPartition(open(org).id, 'NOTE'), 'level', 'info'), SK: sortKey };
    const right = Number((await get(key))?.[TTL_ATTRIBUTE]);
    const names = { '#word': word, '#ttl': TTL_ATTRIBUTE };
    await update(key, 'ADD #word :minus SET #ttl = :ttl', { ':minus': -bit, ':ttl': expiry(right) }, names);
    const { differences } = await verify(open(org), [kind(noteEntity)], { repair: true });
    expect(differences).toMatchObject([{ kind: 'missing-in-list', repaired: true }]);
    return { right, after: (await get(key))?.[TTL_ATTRIBUTE] };
  }

  const get = async (key: Key) =>
    (await table.client.send(new GetCommand({ TableName: table.name, Key: { ...key }, ConsistentRead: true }))).Item;

  it('is kept for as long as a record that is repaired needs it', async () => {
    const { right, after } = await repairedWith((time) => time - 86_400);
    expect(after).toBe(right);
  });

  it('is kept for as long as another record in it needs it', async () => {
    const { right, after } = await repairedWith((time) => time + 86_400);
    expect(after).toBe(right + 86_400);
  });
});
