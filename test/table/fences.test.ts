import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exactly } from '../../shared/contract/constraints.ts';
import type { Table } from '../../shared/table/connection/client.ts';
import { TableUnavailable } from '../../shared/table/errors.ts';
import { COUNTER, setPartition } from '../../shared/table/keys.ts';
import { bitPlace } from '../../shared/table/lists/bits.ts';
import { sortKeyOf } from '../../shared/table/lists/ids.ts';
import { entity } from '../../shared/table/repository/entity.ts';
import { TTL_ATTRIBUTE } from '../../shared/table/schema.ts';
import { auditOf, itemsIn, numbersIn } from '../support/audit.ts';
import { clockAt } from '../support/clock.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import type { FaultyHandler } from '../support/faults.ts';
import { type Paused, PausingHandler } from '../support/pauses.ts';
import { doIn, openTenant, tableAt } from '../support/storage.ts';

/** Numbers without a record: closed by readers and by those who took them, each once, whoever comes late. */

interface Job {
  id: string;
  state: string;
  code?: string;
}

/** Its records are written in a transaction with the bit of their state. */
const jobs = entity<Job>('JOB', { filters: ['state'], unique: { code: exactly } });
/** Its records are written alone. */
const notes = entity<Job>('NOTE');
const KINDS = [jobs, notes] as const;
const writeOf = (kind: (typeof KINDS)[number]): string => (kind === notes ? 'PutItem' : 'TransactWriteItems');

/** In whole seconds. It is the real time, by which DynamoDB Local deletes what has expired. */
const NOW = Math.floor(Date.now() / 1_000) * 1_000;
/** So much later readers fence. */
const LATE = NOW + 60_000;

let fresh: FreshTable;
let table: Table;
beforeAll(async () => {
  fresh = await freshTable();
  table = tableAt(fresh);
});

let org: string;
let writer: PausingHandler;
let reader: PausingHandler;
beforeEach(() => {
  org = randomUUID();
  writer = new PausingHandler();
  reader = new PausingHandler();
});

const partition = (kind: (typeof KINDS)[number] = jobs): string => `ORG#${org}#${kind.name}`;
const at = (time: number, handler?: FaultyHandler) =>
  openTenant(handler === undefined ? table : tableAt(fresh, handler), org, clockAt(time));

const create = (handler?: FaultyHandler, kind: (typeof KINDS)[number] = jobs, fields: Partial<Job> = {}) =>
  doIn(at(NOW, handler), (tenant) => tenant.records(kind).create({ state: 'open', ...fields }));

const read = async (time: number, handler?: FaultyHandler, kind: (typeof KINDS)[number] = jobs, page_size = 50) => {
  const page = await at(time, handler).records(kind).page({ page: 1, page_size, sort: 'created_at' });
  return { total: page.total, ids: page.records.map(({ record }) => record.id) };
};

const audit = (kind: (typeof KINDS)[number] = jobs) =>
  auditOf(table, partition(kind), kind === jobs ? { state: ['open', 'done'] } : {});
const gaps = () => numbersIn(table, setPartition(partition()));

/** Takes numbers and does nothing with them, as a process does that dies. */
async function lose(count: number): Promise<void> {
  for (let index = 0; index < count; index++) await at(NOW).records(jobs).create({ state: 'open' });
}

async function held<T>(paused: Paused, work: Promise<T>): Promise<{ readonly done: Promise<T> }> {
  await Promise.race([paused.reached, work]);
  return { done: work };
}

describe('a writer that sleeps between its number and its record', () => {
  it.each(KINDS)('and finds a fence when it wakes writes under another number: $name', async (kind) => {
    const paused = writer.pauseBefore(writeOf(kind));
    const { done } = await held(paused, create(writer, kind));
    expect(await read(LATE, undefined, kind)).toEqual({ total: 0, ids: [] });
    expect(await numbersIn(table, setPartition(partition(kind)))).toEqual([0]);
    paused.release();
    const { record } = await done;
    expect(await read(NOW, undefined, kind)).toEqual({ total: 1, ids: [record.id] });
    expect((await at(NOW).records(kind).get(record.id))?.record.id).toBe(record.id);
    expect(await numbersIn(table, setPartition(partition(kind)))).toEqual([0]);
    expect(await audit(kind)).toEqual({ lost: [], faults: [] });
  });

  it('is fenced again and again, and writes in the end', async () => {
    // By number: the SDK itself sends a transaction again when DynamoDB's clock and its own disagree.
    const pauses = [0, 1, 2].map((number) => writer.pauseBefore('TransactWriteItems', sortKeyOf(number)));
    const writing = create(writer);
    for (const { reached, release } of pauses) {
      await reached;
      await read(LATE);
      release();
    }
    const { record } = await writing;
    expect(await read(NOW)).toEqual({ total: 1, ids: [record.id] });
    expect([await gaps(), await audit()]).toEqual([[0, 1, 2], { lost: [], faults: [] }]);
  });

  it('writes before a reader’s fence, which then does nothing', async () => {
    const [late, fence] = [writer.pauseBefore('TransactWriteItems'), reader.pauseBefore('PutItem')];
    const { done } = await held(late, create(writer));
    const reading = read(LATE, reader);
    await fence.reached;
    late.release();
    const { record } = await done;
    fence.release();
    await reading;
    expect([await read(LATE), await gaps()]).toEqual([{ total: 1, ids: [record.id] }, []]);
    expect(await audit()).toEqual({ lost: [], faults: [] });
  });

  it('is left its time', async () => {
    const paused = writer.pauseBefore('TransactWriteItems');
    const { done } = await held(paused, create(writer));
    expect(await read(NOW + 4_000)).toEqual({ total: 0, ids: [] });
    expect(await gaps()).toEqual([]);
    paused.release();
    const { record } = await done;
    expect([await read(NOW), await gaps()]).toEqual([{ total: 1, ids: [record.id] }, []]);
  });
});

describe('a reader that finds numbers without a record', () => {
  it('fences them at once, all that belong on its page', async () => {
    await create();
    await lose(70);
    const { record } = await create();
    expect((await read(LATE, undefined, jobs, 100)).total).toBe(2);
    expect((await read(NOW, undefined, jobs, 1)).total).toBe(2);
    expect((await gaps()).length).toBe(70);
    expect(await audit()).toEqual({ lost: [], faults: [] });
    expect((await read(NOW)).ids.at(-1)).toBe(record.id);
  });

  it('finds what belongs on its page also behind more of them than a page has', async () => {
    const first = await create();
    await lose(15);
    const last = await create();
    expect(await read(LATE, undefined, jobs, 2)).toEqual({ total: 2, ids: [first.record.id, last.record.id] });
  });

  it('fences together with another reader, each number once', async () => {
    await create();
    await lose(2);
    const handlers = [reader, new PausingHandler()];
    const fences = handlers.map((handler) => handler.pauseBefore('PutItem'));
    const readings = handlers.map((handler) => read(LATE, handler));
    await Promise.all(fences.map(({ reached }) => reached));
    for (const { release } of fences) release();
    expect((await Promise.all(readings)).map(({ total }) => total)).toEqual([1, 1]);
    expect([await gaps(), await audit()]).toEqual([[1, 2], { lost: [], faults: [] }]);
    expect((await read(NOW)).total).toBe(1);
  });

  it('adds no bit for what was written and deleted since it looked', async () => {
    const late = writer.pauseBefore('TransactWriteItems');
    const { done } = await held(late, create(writer));
    const tombstone = reader.pauseBefore('PutItem');
    const bit = reader.pauseBefore('UpdateItem');
    const reading = read(LATE, reader);
    await tombstone.reached;
    late.release();
    await remove((await done).record.id);
    tombstone.release();
    // The reader may put its tombstone where the record was, and then its word is not as it read it.
    await Promise.race([bit.reached, reading]);
    bit.release();
    await reading;
    expect([await gaps(), await audit()]).toEqual([[0], { lost: [], faults: [] }]);
    expect([
      (await read(NOW)).total,
      await create()
        .then(() => read(NOW))
        .then(({ total }) => total),
    ]).toEqual([0, 1]);
  });

  it('does not fence what was deleted between its view and its look at the records', async () => {
    const { record } = await create();
    const look = reader.pauseBefore('Query', 'BETWEEN');
    const reading = read(LATE, reader);
    await look.reached;
    await remove(record.id);
    look.release();
    expect((await reading).total).toBe(0);
    expect([await gaps(), await audit()]).toEqual([[0], { lost: [], faults: [] }]);
  });

  it('does not wait for a quiet moment in a list that has none', async () => {
    await lose(1);
    for (let index = 0; index < 3; index++) await Promise.all(Array.from({ length: 40 }, () => create()));
    expect((await read(NOW)).total).toBe(120);
    expect([await gaps(), await audit()]).toEqual([[0], { lost: [], faults: [] }]);
    expect((await at(NOW).records(jobs).page({ page: 2, page_size: 50, sort: 'created_at' })).total).toBe(120);
  });

  it.each(['PutItem', 'UpdateItem'])(
    'answers all the same when its %s fails, and the next reader fences',
    async (write) => {
      await lose(1);
      const { record } = await create();
      reader.follow(({ operation }) => (operation === write ? 'conflict' : undefined));
      const page = { total: 1, ids: [record.id] };
      expect([await read(LATE, reader), await gaps()]).toEqual([page, []]);
      expect([await read(LATE), await gaps()]).toEqual([page, [0]]);
    },
  );

  it.each(
    (['PutItem', 'UpdateItem'] as const).flatMap((write) =>
      (['reply-lost', 'timeout', 'applied-server-error'] as const).map((fault) => ({ write, fault })),
    ),
  )('adds a bit once: $fault of $write', async ({ write, fault }) => {
    await lose(1);
    let met = 0;
    reader.follow(({ operation }) => (operation === write && met++ === 0 ? fault : undefined));
    await read(LATE, reader);
    expect([met > 0, await gaps(), await audit()]).toEqual([true, [0], { lost: [], faults: [] }]);
  });

  it('adds no bit that another reader has added, however late it resumes', async () => {
    await create();
    await lose(1);
    const bit = reader.pauseBefore('UpdateItem');
    const reading = read(LATE, reader);
    await bit.reached;
    expect((await read(LATE)).total).toBe(1);
    expect(await gaps()).toEqual([1]);
    bit.release();
    expect([(await reading).total, await gaps(), await audit()]).toEqual([1, [1], { lost: [], faults: [] }]);
  });

  it('takes no bit away that was set in the same word since it looked', async () => {
    await lose(1);
    const records = [];
    for (let count = 0; count < 32; count++) records.push((await create()).record.id);
    const bit = reader.pauseBefore('UpdateItem');
    const reading = read(LATE, reader);
    await bit.reached;
    await remove(records.at(-1) ?? '');
    bit.release();
    await reading;
    expect([await gaps(), (await audit()).faults]).toEqual([[32], []]);
    expect([(await read(NOW)).total, await gaps(), await audit()]).toEqual([31, [0, 32], { lost: [], faults: [] }]);
  });

  it('completes a tombstone without its bit at once, whether its writer had its time or not', async () => {
    await lose(1);
    const { record } = await create();
    reader.follow(({ operation }) => (operation === 'UpdateItem' ? 'crash' : undefined));
    await read(LATE, reader);
    expect([await gaps(), (await audit()).lost]).toEqual([[], [0]]);
    expect([await read(NOW), await gaps()]).toEqual([{ total: 1, ids: [record.id] }, [0]]);
  });
});

const remove = (id: string) =>
  doIn(at(NOW), async (tenant) => {
    const stored = await tenant.records(jobs).get(id);
    if (stored === undefined) throw new Error('it is not there');
    tenant.records(jobs).remove(stored);
  });

describe('a number that was taken for nothing', () => {
  it('is given back by an operation that is refused', async () => {
    await create(undefined, jobs, { code: 'taken' });
    await expect(create(undefined, jobs, { code: 'taken' })).rejects.toThrow('another record has this code');
    expect([await gaps(), await audit()]).toEqual([[1], { lost: [], faults: [] }]);
    expect((await read(NOW, undefined, jobs, 1)).total).toBe(1);
  });

  it('is used by the next run of the same operation', async () => {
    const { record } = await create();
    let runs = 0;
    await doIn(at(NOW), async (tenant) => {
      const stored = await tenant.records(jobs).get(record.id);
      if (stored === undefined) throw new Error('it is not there');
      if (runs++ === 0) await doIn(at(NOW), (other) => other.records(jobs).update(stored, { state: 'done' }));
      await tenant.records(jobs).update(stored, { state: 'held' });
      await tenant.records(jobs).create({ state: 'open' });
    });
    expect([runs, (await read(NOW)).total, await gaps()]).toEqual([2, 2, []]);
  });

  it('is given back once when a reader has fenced it already', async () => {
    await create(undefined, jobs, { code: 'taken' });
    const back = writer.pauseBefore('PutItem', 'TOMBSTONE');
    const refused = create(writer, jobs, { code: 'taken' }).catch((error: Error) => error.message);
    await back.reached;
    expect((await read(LATE)).total).toBe(1);
    back.release();
    expect(await refused).toBe('another record has this code');
    expect([await gaps(), await audit()]).toEqual([[1], { lost: [], faults: [] }]);
  });

  it('is fenced by readers when it could not be given back', async () => {
    await create(undefined, jobs, { code: 'taken' });
    writer.follow(({ operation, index }) => (operation === 'TransactWriteItems' && index > 2 ? 'crash' : undefined));
    await expect(create(writer, jobs, { code: 'taken' })).rejects.toThrow();
    expect((await audit()).lost).toEqual([1]);
    expect((await read(LATE)).total).toBe(1);
    expect(await audit()).toEqual({ lost: [], faults: [] });
  });

  it('is not given back while the write may yet arrive', async () => {
    writer.follow(({ operation }) => (operation === 'TransactWriteItems' ? 'dropped' : undefined));
    const hasty = openTenant(tableAt(fresh, writer), org, clockAt(NOW), 100);
    await expect(doIn(hasty, (tenant) => tenant.records(jobs).create({ state: 'open' }))).rejects.toThrow(
      TableUnavailable,
    );
    expect([await gaps(), (await audit()).lost]).toEqual([[], [0]]);
  });
});

describe('a part of a list', () => {
  it('leads on where the numbers at its end are lost', async () => {
    await lose(3);
    const { record } = await create();
    const records = at(NOW).records(jobs);
    const seen: string[] = [];
    let after: string | undefined;
    for (let parts = 0; parts < 9; parts++) {
      const part = await records.cursorPage({ limit: 2, after });
      seen.push(...part.records.map(({ record: { id } }) => id));
      after = part.next;
      if (after === undefined) break;
    }
    expect([seen, after]).toEqual([[record.id], undefined]);
  });
});

describe('a gap of an expiring list', () => {
  const lines = entity<Job>('LINE', { filters: ['state'], retentionDays: 30 });
  const lineSet = () => setPartition(`ORG#${org}#LINE`);
  const DAY = 86_400_000;

  it('is kept for as long as the youngest in its item, whenever a reader closes an older one', async () => {
    const take = (time: number) => at(time).records(lines).create({ state: 'open' });
    await take(NOW);
    await skip(31);
    await take(NOW + 25 * DAY);
    await at(NOW + 26 * DAY)
      .records(lines)
      .page({ page: 1, page_size: 1, sort: '-created_at' });
    await at(NOW + 29 * DAY)
      .records(lines)
      .page({ page: 1, page_size: 1, sort: 'created_at' });
    const shared = (await itemsIn(table, lineSet())).find(({ SK }) => SK === bitPlace(0).sortKey);
    expect(await numbersIn(table, lineSet())).toEqual(Array.from({ length: 33 }, (_, number) => number));
    expect(Number(shared?.[TTL_ATTRIBUTE]) * 1_000).toBeGreaterThan(NOW + (25 + 31 + 34) * DAY);
  });

  /** Gives out numbers to nobody. */
  const skip = (count: number) =>
    table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key: { PK: lineSet(), SK: COUNTER },
        UpdateExpression: 'ADD #next :count',
        ExpressionAttributeNames: { '#next': 'NEXT' },
        ExpressionAttributeValues: { ':count': count },
      }),
    );
});
