import { Readable } from 'node:stream';
import { BatchWriteCommand, DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { ids, indexes, type Key, listErrors } from '@custodia/counted-lists';
import { HttpResponse } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { describe, expect, it } from 'vitest';
import { entity, order, set, words } from '#table';
import { kind } from '../../operator/maintenance/verify/kinds.ts';
import { verify } from '../../operator/maintenance/verify/verify.ts';
import { itemsIn } from '../support/audit.ts';
import { noonOfToday } from '../support/clock.ts';
import { openTenant, tableAt } from '../support/storage.ts';
import { TestList, useTable } from './test-list.ts';

/** Lists in the order of a time of their records. */

interface Call {
  id: string;
  status: string;
  moved_at: string | null;
}

/** So many records are not read for a page. */
const TOO_MANY = 11_000;

const NOW = noonOfToday();
const at = (seconds: number): string => new Date(NOW + seconds * 1_000).toISOString();

const table = useTable(NOW);
const filters = [set('status')];
const A_CALL = { status: 'open', moved_at: at(0) };
const calls = new TestList(table, entity<Call>('CALL', { indexes: [...filters, order('moved_at')] }), A_CALL);
const sorted = (query: Parameters<typeof calls.page>[0] = {}) => calls.read({ sort: '-moved_at', ...query });
const differences = async (repair = false) => (await calls.verify(repair)).differences;
const entry = (text: string, number: number) =>
  new indexes.Indexes(calls.partition, []).keyOf({ items: 'moved_at#ORDER', text }, number);
const entries = async () =>
  (await itemsIn(table.table, `${calls.partition}#moved_at#ORDER`)).map(({ SK }) => String(SK));
const put = (key: Key) => table.table.client.send(new PutCommand({ TableName: table.table.name, Item: { ...key } }));

/** Moves a record as another one does that is created below it. */
const move = <T extends { id: string }>(list: TestList<T>, id: string, seconds: number, field: keyof T & string) =>
  list.do(
    async (records) => {
      const stored = await records.get(id);
      if (stored !== undefined) records.derived.move(stored, field, () => new Error('it is gone'));
    },
    { at: () => NOW + seconds * 1_000 },
  );
const moveCall = (id: string, seconds: number) => move(calls, id, seconds, 'moved_at');
const timeOf = async (id: string) => (await calls.records().get(id))?.record.moved_at;

/** Records at these times, in seconds. */
async function create(...times: readonly (number | null)[]): Promise<string[]> {
  const made: string[] = [];
  for (const seconds of times) made.push(await calls.createId({ moved_at: seconds === null ? null : at(seconds) }));
  return made;
}

/** Notes the numbers of the records that are read by key. */
class NumbersAsked extends NodeHttpHandler {
  readonly numbers: number[] = [];

  override handle(...call: Parameters<NodeHttpHandler['handle']>) {
    const [{ headers, body }] = call;
    if (headers['x-amz-target']?.endsWith('.BatchGetItem'))
      for (const [, sortKey] of String(body).matchAll(/"SK":\{"S":"(\w+)"\}/g))
        this.numbers.push(ids.numberIn(sortKey ?? ''));
    return super.handle(...call);
  }
}

describe('a list in the order of a time', () => {
  it('reads records in the order of the page, so that one that is too large ends early and does not begin late', async () => {
    await create(2, 1, 3);
    for (const [sort, numbers] of [
      ['moved_at', [1, 0, 2]],
      ['-moved_at', [2, 0, 1]],
    ] as const) {
      const over = new NumbersAsked();
      await calls.read({ sort }, { over });
      expect([sort, over.numbers]).toEqual([sort, numbers]);
    }
  });

  it('leaves out numbers without a record, and fences them', async () => {
    const [a] = await create(1);
    await calls.lose(2);
    const [b] = await create(2);
    const overdue = { at: NOW + 60_000 };
    expect(await calls.read({ sort: '-moved_at' }, overdue)).toEqual({ total: 2, ids: [b, a] });
    expect(await calls.tombstones()).toHaveLength(2);
    expect(await calls.gaps()).toHaveLength(2);
  });

  it('fences as many numbers without a record as one request may, until a later one has the page', async () => {
    const [a] = await create(1);
    await calls.skip(250, NOW);
    const overdue = { at: NOW + 60_000 };
    await expect(calls.read({ sort: '-moved_at' }, overdue)).rejects.toThrow(listErrors.PageIncomplete);
    expect(await calls.read({ sort: '-moved_at' }, overdue)).toEqual({ total: 1, ids: [a] });
  });
});

/** Lets the table say that a range has one entry more than are read of it, and others. */
class LongRange extends NodeHttpHandler {
  override handle(...call: Parameters<NodeHttpHandler['handle']>) {
    const asked = JSON.parse(String(call[0].body)) as { Limit?: number };
    if (asked.Limit !== 10_001) return super.handle(...call);
    const Items = Array.from({ length: asked.Limit }, (_, index) => ({
      SK: { S: `${at(0)}\n${ids.sortKeyOf(1_000 + index)}` },
    }));
    const body = Readable.from([Buffer.from(JSON.stringify({ Items, LastEvaluatedKey: Items.at(-1) }))]);
    const headers = { 'content-type': 'application/x-amz-json-1.0' };
    return Promise.resolve({ response: new HttpResponse({ statusCode: 200, headers, body }) });
  }
}

/** Its replica has not seen yet that a record was moved from one second to another. */
class StaleReplica extends NodeHttpHandler {
  reads = 0;

  override async handle(...call: Parameters<NodeHttpHandler['handle']>) {
    const { response } = await super.handle(...call);
    const [{ headers, body }] = call;
    if (!headers['x-amz-target']?.endsWith('.BatchGetItem') || String(body).includes('"ConsistentRead":true'))
      return { response };
    this.reads++;
    const seen = String(response.body).replaceAll(at(9), at(1));
    return { response: new HttpResponse({ ...response, body: Readable.from([Buffer.from(seen)]) }) };
  }
}

it('a record in an order is shown as it was moved, also where a replica has it as before', async () => {
  const [id, other] = (await create(1, 5)) as [string, string];
  await moveCall(id, 9);
  const over = new StaleReplica();
  const { records } = await calls.page({ sort: '-moved_at' }, { over });
  expect(records.map(({ record }) => [record.id, record.moved_at])).toEqual([
    [id, at(9)],
    [other, at(5)],
  ]);
  expect(over.reads).toBeGreaterThan(0);
});

describe('a range with more records than are read', () => {
  const ranges = { moved_at: { before: at(5) } };
  const over = new LongRange();

  it('is decided by records where filters leave few, in either order', async () => {
    const [, b, c, d] = (await create(1, 2, 9, 3)) as [string, string, string, string];
    for (const id of [b, c, d]) await calls.change(id, { status: 'closed' });
    const query = { ranges, filter: { status: 'closed' } };
    expect(await calls.read(query, { over })).toEqual({ total: 2, ids: [b, d] });
    expect(await calls.read({ ...query, page_size: 1, page: 2 }, { over })).toEqual({ total: 2, ids: [d] });
    expect(await calls.read({ ...query, sort: '-moved_at' }, { over })).toEqual({ total: 2, ids: [d, b] });
    expect(await calls.read({ ranges, filter: { status: 'lost' } }, { over })).toEqual({ total: 0, ids: [] });
  });

  it('is decided by records where the list is short or words find few, and else too many', async () => {
    const indexes = [...filters, words(['status']), order('moved_at')];
    const searched = new TestList(table, entity<Call>('CALL', { indexes }), A_CALL);
    const [, one] = [await searched.createId({ moved_at: at(9) }), await searched.createId()];
    const found = { ids: [one], by: 'records' };
    expect(await searched.found({ ranges }, { over })).toEqual(found);
    await calls.skip(TOO_MANY);
    const refused = { name: 'TooManyMatches', candidates: TOO_MANY + 2, fields: ['moved_at'] };
    await expect(calls.read({ ranges }, { over })).rejects.toMatchObject(refused);
    expect(await searched.found({ ranges, q: 'open' }, { over })).toEqual(found);
  });
});

describe('a time that moves', () => {
  it('moves forward only, whoever commits first', async () => {
    const [id] = (await create(0)) as [string];
    await moveCall(id, 4);
    await moveCall(id, 2);
    expect([await timeOf(id), await entries()]).toEqual([at(4), [entry(at(4), ids.numberOf(id)).SK]]);
  });

  it('a year ahead, of a wrong clock, is first and in no range up to now, until a right one moves it', async () => {
    const [id, other] = (await create(0, 1)) as [string, string];
    const year = 365 * 86_400;
    const now = { ranges: { moved_at: { after: at(0), before: at(60) } } };
    await moveCall(id, year);
    expect([await sorted(), await sorted(now)]).toEqual([
      { total: 2, ids: [id, other] },
      { total: 1, ids: [other] },
    ]);
    await moveCall(other, 2);
    expect((await sorted()).ids).toEqual([id, other]);
    for (const seconds of [3, year, 4]) {
      await moveCall(id, seconds);
      expect([(await sorted()).ids[0], await timeOf(id)]).toEqual([id, at(seconds)]);
    }
    expect(await sorted(now)).toEqual({ total: 2, ids: [id, other] });
    expect([await entries(), await differences()]).toEqual([
      [entry(at(2), ids.numberOf(other)).SK, entry(at(4), ids.numberOf(id)).SK],
      [],
    ]);
  });

  it('moves back from a time in the future, which a wrong clock has written', async () => {
    const [id] = (await create(0)) as [string];
    await moveCall(id, 60 * 86_400);
    await moveCall(id, 30);
    expect([await timeOf(id), await entries()]).toEqual([at(30), [entry(at(30), ids.numberOf(id)).SK]]);
    // Clocks of containers may differ by seconds: that is no wrong one.
    await moveCall(id, 28);
    expect(await timeOf(id)).toBe(at(30));
  });

  it('stands in one place after many changes at once, and a change on an old read is made again', async () => {
    const [id] = (await create(0)) as [string];
    const seconds = Array.from({ length: 12 }, (_, index) => ((index * 5) % 12) / 4);
    const change = (status: string) =>
      calls.do(
        async (records) => {
          const stored = await records.get(id);
          if (stored === undefined) return;
          await records.update(stored, { status }, { moves: 'moved_at' });
        },
        { at: () => NOW + 2_000 },
      );
    await Promise.all([...seconds.map((each) => moveCall(id, each)), change('closed'), change('open')]);
    const stored = await calls.records().get(id);
    expect([stored?.version, stored?.record.moved_at]).toEqual([3, at(2.75)]);
    expect(await entries()).toEqual([entry(at(2.75), ids.numberOf(id)).SK]);
    expect(await differences()).toEqual([]);
  });

  it('does not make a change on an old read again, however often others move it meanwhile', async () => {
    const [id] = (await create(0)) as [string];
    let runs = 0;
    const change = async (records: ReturnType<typeof calls.records>) => {
      const stored = await records.get(id);
      if (stored === undefined) throw new Error('it is gone');
      runs++;
      if (runs < 5) await moveCall(id, runs);
      return records.update(stored, { status: 'closed' }, { moves: 'moved_at' });
    };
    const after = await calls.do(change, { at: () => NOW });
    expect([runs, after.version]).toEqual([1, 2]);
    const stored = await calls.records().get(id);
    expect([stored?.version, stored?.record]).toEqual([2, { ...A_CALL, id, status: 'closed', moved_at: at(1) }]);
    expect(await entries()).toEqual([entry(at(1), ids.numberOf(id)).SK]);
    expect(await differences()).toEqual([]);
  });

  it('does not keep a record from being deleted, however often others move it meanwhile', async () => {
    const [id] = (await create(0)) as [string];
    let runs = 0;
    await calls.do(async (records) => {
      const stored = await records.get(id);
      if (stored === undefined) throw new Error('it is gone');
      runs++;
      if (runs < 5) await moveCall(id, runs);
      await records.remove(stored);
    });
    expect([runs, await entries(), await calls.stored()]).toEqual([1, [], []]);
    expect(await differences()).toEqual([]);
  });

  it('cannot move where the record is gone', async () => {
    const [id] = (await create(0)) as [string];
    const stored = await calls.records().get(id);
    await calls.remove(id);
    const late = calls.do(async (records) => {
      if (stored !== undefined) records.derived.move(stored, 'moved_at', () => new Error('it is gone'));
    });
    await expect(late).rejects.toThrow('it is gone');
    expect(await entries()).toEqual([]);
  });
});

describe('an order', () => {
  it('is restored by the operator: a missing entry, one at another time, and one without a record', async () => {
    const [id, other] = (await create(1, 2)) as [string, string];
    const Key = { ...entry(at(1), ids.numberOf(id)) };
    await table.table.client.send(new DeleteCommand({ TableName: table.table.name, Key }));
    await put(entry(at(9), ids.numberOf(other)));
    await put(entry(at(8), 77));
    // What stands in two places is shown once; what stands in none makes the page incomplete.
    await expect(sorted()).rejects.toThrow(listErrors.PageIncomplete);
    expect(await sorted({ page_size: 1 })).toEqual({ total: 2, ids: [other] });
    const expected = [
      ['missing-in-list', `CALL ${id} is missing in moved_at>=${at(1)}`],
      ['wrongly-in-list', `CALL ${other} is in moved_at>=${at(9)} and does not belong there`],
      ['wrongly-in-list', `CALL number 77 is in moved_at>=${at(8)} and does not belong there`],
    ];
    for (const repair of [false, true])
      expect((await differences(repair)).map(({ kind, text }) => [kind, text]).toSorted()).toEqual(expected);
    expect([await differences(), await sorted()]).toEqual([[], { total: 2, ids: [other, id] }]);
  });

  it('is restored at the place to which a record has moved meanwhile', async () => {
    const [id] = (await create(1)) as [string];
    const Key = { ...entry(at(1), ids.numberOf(id)) };
    await table.table.client.send(new DeleteCommand({ TableName: table.table.name, Key }));
    const repairing = tableAt(table.place);
    let moves = 0;
    repairing.client.middlewareStack.add(
      (next, { commandName }) =>
        async (request) => {
          if (commandName === 'TransactWriteItemsCommand' && moves++ === 0) await moveCall(id, 7);
          return next(request);
        },
      { step: 'initialize', priority: 'high' },
    );
    await verify(openTenant(repairing, table.org), [kind(calls.entity)], { repair: true });
    expect([moves > 0, await entries()]).toEqual([true, [entry(at(7), ids.numberOf(id)).SK]]);
  });
});

describe('a long order', () => {
  /** Its entries take 1 KB each, so that 2,000 of them are all that a page reads. */
  const field = `at_${'x'.repeat(900)}`;
  interface Long {
    id: string;
    status: string;
    [field]: string;
  }
  const long = new TestList(table, entity<Long>('LONG', { indexes: [set('status'), order(field)] }), {
    status: 'open',
    [field]: at(0),
  });

  /** Entries of numbers that do not belong to the list, after all others. */
  async function lengthen(count: number): Promise<void> {
    const keys = Array.from({ length: count }, (_, index) => {
      const of = new indexes.Indexes(long.partition, []).keyOf(
        { items: `${field}#ORDER`, text: at(1_000 + index) },
        50_000 + index,
      );
      return { PutRequest: { Item: { ...of } } };
    });
    const batches = Array.from({ length: Math.ceil(count / 25) }, (_, index) =>
      keys.slice(index * 25, index * 25 + 25),
    );
    for (const batch of batches)
      await table.table.client.send(new BatchWriteCommand({ RequestItems: { [table.table.name]: batch } }));
  }

  it('has a record that moves to its beginning whenever a scan is on its way', async () => {
    const [moving, other] = [await long.createId({ [field]: at(2) }), await long.createId({ [field]: at(1) })];
    await lengthen(1_200);
    let moves = 0;
    let isBeginning = false;
    class Moving extends NodeHttpHandler {
      override async handle(...call: Parameters<NodeHttpHandler['handle']>) {
        const isFirst = !String(call[0].body).includes('"ExclusiveStartKey"');
        if (isBeginning && !isFirst) await move(long, moving, 5_000 + moves++, field);
        isBeginning = isFirst;
        return super.handle(...call);
      }
    }
    const found = await long.found({ sort: `-${field}` }, { over: new Moving() });
    expect([found, moves]).toEqual([{ ids: [moving, other], by: 'indexes' }, 1]);
  });

  it('is read as far as a request may, and few records are sorted instead', async () => {
    const made = [await long.createId(), await long.createId({ [field]: at(2), status: 'closed' })];
    await lengthen(2_200);
    expect(await long.found({ sort: field })).toEqual({ ids: made, by: 'indexes' });
    const latestFirst = { sort: `-${field}` };
    expect(await long.found(latestFirst)).toEqual({ ids: made.toReversed(), by: 'records' });
    await long.skip(TOO_MANY);
    await expect(long.read(latestFirst)).rejects.toMatchObject({
      name: 'TooManyMatches',
      candidates: TOO_MANY + 2,
      fields: [`sort=${field}`],
    });
    const filter = { status: 'closed' };
    expect(await long.found({ ...latestFirst, filter })).toEqual({ ids: [made[1]], by: 'records' });
  });
});
