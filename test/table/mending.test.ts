import { randomUUID } from 'node:crypto';
import { PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LOCAL_CREDENTIALS, LOCAL_REGION } from '../../local/dynamodb/client.ts';
import { type Table, tableOf } from '../../shared/table/client.ts';
import { bucketKey, countPartition, HEAD } from '../../shared/table/keys.ts';
import { takeNumber } from '../../shared/table/lists/count.ts';
import { ALL_HOLES, BUCKET_SIZE, holePlace } from '../../shared/table/lists/holes.ts';
import { IN_FLIGHT_MS } from '../../shared/table/lists/mend.ts';
import { LISTED_AT, type ListSource, readPage } from '../../shared/table/lists/page.ts';
import { freshTable } from '../support/dynamodb.ts';
import { FaultyHandler } from '../support/faults.ts';

/** What readers put right, on a list whose records stand under their bare numbers. */

const START = Date.parse('2026-11-20T12:00:00Z');
const LATER = START + 2 * IN_FLIGHT_MS;

const handler = new FaultyHandler();
let table: Table;
beforeAll(async () => {
  const { tableName, endpoint } = await freshTable();
  const config = { endpoint, region: LOCAL_REGION, credentials: LOCAL_CREDENTIALS, requestHandler: handler };
  table = tableOf(tableName, config);
});

let list: string;
beforeEach(() => {
  list = `LIST#${randomUUID()}`;
  handler.follow(() => undefined);
});

const sortKey = (number: number): string => String(number).padStart(12, '0');

const read = (now: number, pageSize = 10) => {
  const source: ListSource = {
    list,
    bounds: (first, last) => [sortKey(first), sortKey(last)],
    numberOf: ({ SK }) => Number(SK),
  };
  return readPage(table, source, { page: 1, pageSize, newestFirst: true, now });
};

const write = (number: number) =>
  table.client.send(
    new PutCommand({ TableName: table.name, Item: { PK: list, SK: sortKey(number), [LISTED_AT]: START } }),
  );

async function create(count: number): Promise<void> {
  for (let index = 0; index < count; index++) await write((await takeNumber(table, list, undefined, START)).number);
}

const markHole = (number: number) => {
  const { bucket, word, bit } = holePlace(number);
  return table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: { PK: countPartition(list), SK: bucketKey(bucket) },
      UpdateExpression: 'ADD #word :bit',
      ExpressionAttributeNames: { '#word': word },
      ExpressionAttributeValues: { ':bit': bit },
    }),
  );
};

async function countKeys(): Promise<string[]> {
  const { Items = [] } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'PK = :count',
      ExpressionAttributeValues: { ':count': countPartition(list) },
    }),
  );
  return Items.map(({ SK }) => String(SK));
}

const numbersOf = ({ items }: Awaited<ReturnType<typeof read>>): number[] => items.map(({ SK }) => Number(SK));

describe('a reader', () => {
  it('marks a number that was lost, also when another transaction has its bucket just then', async () => {
    await create(1);
    await takeNumber(table, list, undefined, START);
    await create(1);
    let conflicts = 0;
    handler.follow(({ operation }) => (operation === 'UpdateItem' && conflicts++ === 0 ? 'conflict' : undefined));
    const page = await read(LATER);
    expect([conflicts, page.total, numbersOf(page)]).toEqual([2, 2, [2, 0]]);
  });

  it('does not take a number for lost while it may be on its way', async () => {
    await create(1);
    await takeNumber(table, list, undefined, START);
    await create(1);
    expect((await read(START + IN_FLIGHT_MS)).total).toBe(3);
    await write(1);
    expect(numbersOf(await read(LATER))).toEqual([2, 1, 0]);
  });

  it('takes a mark away where there is a record after all', async () => {
    await create(3);
    await markHole(1);
    const page = await read(LATER);
    expect([page.total, numbersOf(page)]).toEqual([3, [2, 1, 0]]);
  });

  it('answers with what is there also when it cannot take a mark away now, and the next reader does', async () => {
    await create(3);
    await markHole(1);
    handler.follow(({ operation }) => (operation === 'TransactWriteItems' ? 'conflict' : undefined));
    expect(numbersOf(await read(LATER))).toEqual([2, 1, 0]);
    handler.follow(() => undefined);
    expect((await read(LATER)).total).toBe(3);
  });

  it('needs no item for a bucket without records, and counts the same before, between and after', async () => {
    const full = [0, 1, 2, 3, 4];
    const next = full.length * BUCKET_SIZE;
    for (const bucket of full) {
      const words = Object.fromEntries(ALL_HOLES.map((word, index) => [`W${index}`, word]));
      const item = { PK: countPartition(list), SK: bucketKey(bucket), ...words };
      await table.client.send(new PutCommand({ TableName: table.name, Item: item }));
    }
    const head = { PK: countPartition(list), SK: HEAD, NEXT: next, AT: START };
    await table.client.send(new PutCommand({ TableName: table.name, Item: head }));
    await create(3);
    const keys = [];
    for (let reading = 0; reading < 4; reading++) {
      const page = await read(LATER);
      expect([page.total, numbersOf(page)]).toEqual([3, [next + 2, next + 1, next]]);
      keys.push((await countKeys()).length);
    }
    expect(keys).toEqual([7, 2, 2, 2]);
    expect(await countKeys()).toEqual(['FULL#000000000000', HEAD]);
  });
});
