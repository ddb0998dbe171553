import { ids, listErrors, storedSets } from '@custodia/counted-lists';
import { beforeEach, describe, expect, it } from 'vitest';
import { entity, set } from '#table';
import { trimmed } from '../../shared/words.ts';
import { itemsIn } from '../support/audit.ts';
import { bitPlace } from '../support/bits.ts';
import type { FaultyHandler } from '../support/faults.ts';
import { type Paused, PausingHandler } from '../support/pauses.ts';
import { doIn } from '../support/storage.ts';
import { type How, NO_FAULTS, TestList, useTable } from './test-list.ts';

/** Readers, and the writers that allocated them, close numbers without a record, each exactly once in any order. */

interface Job {
  id: string;
  state: string;
  code?: string;
}

/** In whole seconds. It is the real time, by which DynamoDB Local deletes what has expired. */
const NOW = Math.floor(Date.now() / 1_000) * 1_000;
/** Readers fence this much later. */
const LATE = { at: NOW + 60_000 };

const table = useTable(NOW);
const unique = { code: trimmed };
/** Its records are written in a transaction with the bit of their state. */
const jobs = new TestList(
  table,
  entity<Job>('JOB', { indexes: [set('state')], unique }),
  { state: 'open' },
  { state: ['open', 'done'] },
);
/** Its records are written alone. */
const notes = new TestList(table, entity<Job>('NOTE'), { state: 'open' });

let writer: PausingHandler;
let reader: PausingHandler;
beforeEach(() => {
  writer = new PausingHandler();
  reader = new PausingHandler();
});

const readBy = (handler: FaultyHandler) => jobs.read({}, { ...LATE, over: handler });

/** A creation that is held up before its record. */
async function heldCreation(list = jobs): Promise<{ readonly release: () => void; readonly done: Promise<string> }> {
  const paused = writer.pauseBefore(list === notes ? 'PutItem' : 'TransactWriteItems');
  const done = list.createId({}, { over: writer });
  await Promise.race([paused.reached, done]);
  return { release: paused.release, done };
}

async function heldRead(...pause: Parameters<PausingHandler['pauseBefore']>) {
  const paused = reader.pauseBefore(...pause);
  const done = readBy(reader);
  await Promise.race([paused.reached, done]);
  return { release: paused.release, done };
}

describe('a writer that sleeps between its number and its record', () => {
  it.each([jobs, notes])(
    'writes under another number if it finds a fence when it wakes: $entity.name',
    async (list) => {
      const { release, done } = await heldCreation(list);
      expect(await list.read({}, LATE)).toEqual({ total: 0, ids: [] });
      expect(await list.gaps()).toEqual([0]);
      release();
      const id = await done;
      expect([await list.read(), await list.gaps(), await list.audit()]).toEqual([
        { total: 1, ids: [id] },
        [0],
        NO_FAULTS,
      ]);
      expect((await list.records().get(id))?.record.id).toBe(id);
    },
  );

  it('is fenced several times, and writes in the end', async () => {
    // By number: the SDK itself sends a transaction again when DynamoDB's clock and its own disagree.
    const pauses = [0, 1, 2].map((number) => writer.pauseBefore('TransactWriteItems', ids.sortKeyOf(number)));
    const writing = jobs.createId({}, { over: writer });
    for (const { reached, release } of pauses) {
      await reached;
      await jobs.read({}, LATE);
      release();
    }
    const id = await writing;
    expect(await jobs.read()).toEqual({ total: 1, ids: [id] });
    expect([await jobs.gaps(), await jobs.audit()]).toEqual([[0, 1, 2], NO_FAULTS]);
  });

  it('writes before a reader’s fence, which then does nothing', async () => {
    const { release, done } = await heldCreation();
    const fence = await heldRead('PutItem');
    release();
    const id = await done;
    fence.release();
    await fence.done;
    expect([await jobs.read({}, LATE), await jobs.gaps()]).toEqual([{ total: 1, ids: [id] }, []]);
    expect(await jobs.audit()).toEqual(NO_FAULTS);
  });

  it('is left its time', async () => {
    const { release, done } = await heldCreation();
    expect(await jobs.read({}, { at: NOW + 4_000 })).toEqual({ total: 0, ids: [] });
    expect(await jobs.gaps()).toEqual([]);
    release();
    const id = await done;
    expect([await jobs.read(), await jobs.gaps()]).toEqual([{ total: 1, ids: [id] }, []]);
  });
});

describe('a reader that finds numbers without a record', () => {
  it('fences them at once, also where they are more than its page has', async () => {
    const first = await jobs.createId();
    await jobs.lose(70);
    const last = await jobs.createId();
    expect(await jobs.read({ page_size: 2 }, LATE)).toEqual({ total: 2, ids: [first, last] });
    expect(await jobs.read({ page_size: 1 })).toEqual({ total: 2, ids: [first] });
    expect([(await jobs.gaps()).length, await jobs.audit()]).toEqual([70, NO_FAULTS]);
  });

  it('fences together with another reader, each number once', async () => {
    await jobs.create();
    await jobs.lose(2);
    const handlers = [reader, new PausingHandler()];
    const fences = handlers.map((handler) => handler.pauseBefore('PutItem'));
    const readings = handlers.map(readBy);
    await Promise.all(fences.map(({ reached }) => reached));
    for (const { release } of fences) release();
    expect((await Promise.all(readings)).map(({ total }) => total)).toEqual([1, 1]);
    expect([await jobs.gaps(), await jobs.audit(), (await jobs.read()).total]).toEqual([[1, 2], NO_FAULTS, 1]);
  });

  it('adds no bit for what was written and deleted since it looked', async () => {
    const { release, done } = await heldCreation();
    const bit: Paused = reader.pauseBefore('UpdateItem');
    const fence = await heldRead('PutItem');
    release();
    await jobs.remove(await done);
    fence.release();
    // The reader may put its tombstone where the record was, and then its word is not as it read it.
    await Promise.race([bit.reached, fence.done]);
    bit.release();
    await fence.done;
    expect([await jobs.gaps(), await jobs.audit(), (await jobs.read()).total]).toEqual([[0], NO_FAULTS, 0]);
    await jobs.create();
    expect((await jobs.read()).total).toBe(1);
  });

  it('does not fence what was deleted between its view and its look at the records', async () => {
    const id = await jobs.createId();
    const look = await heldRead('Query', 'BETWEEN');
    await jobs.remove(id);
    look.release();
    expect((await look.done).total).toBe(0);
    expect([await jobs.gaps(), await jobs.audit()]).toEqual([[0], NO_FAULTS]);
  });

  it.each(['PutItem', 'UpdateItem'])('responds although its %s fails, and the next reader fences', async (write) => {
    await jobs.lose();
    const page = { total: 1, ids: [await jobs.createId()] };
    reader.follow(({ operation }) => (operation === write ? 'conflict' : undefined));
    expect([await readBy(reader), await jobs.gaps()]).toEqual([page, []]);
    expect([await jobs.read({}, LATE), await jobs.gaps()]).toEqual([page, [0]]);
  });

  it.each(
    (['PutItem', 'UpdateItem'] as const).flatMap((write) =>
      (['reply-lost', 'timeout', 'applied-server-error'] as const).map((fault) => ({ write, fault })),
    ),
  )('adds a bit once: $fault of $write', async ({ write, fault }) => {
    await jobs.lose();
    let met = 0;
    reader.follow(({ operation }) => (operation === write && met++ === 0 ? fault : undefined));
    await readBy(reader);
    expect([met > 0, await jobs.gaps(), await jobs.audit()]).toEqual([true, [0], NO_FAULTS]);
  });

  it('adds no bit that another reader has added, however late it resumes', async () => {
    await jobs.create();
    await jobs.lose();
    const bit = await heldRead('UpdateItem');
    expect((await jobs.read({}, LATE)).total).toBe(1);
    expect(await jobs.gaps()).toEqual([1]);
    bit.release();
    expect([(await bit.done).total, await jobs.gaps(), await jobs.audit()]).toEqual([1, [1], NO_FAULTS]);
  });

  it('takes no bit away that was set in the same word since it looked', async () => {
    await jobs.lose();
    let last = '';
    for (let count = 0; count < 32; count++) last = await jobs.createId();
    const bit = await heldRead('UpdateItem');
    await jobs.remove(last);
    bit.release();
    await bit.done;
    expect([await jobs.gaps(), (await jobs.audit()).faults]).toEqual([[32], []]);
    expect((await jobs.read()).total).toBe(31);
    expect([await jobs.gaps(), await jobs.audit()]).toEqual([[0, 32], NO_FAULTS]);
  });

  it('completes a tombstone without its bit at once, whether its writer had its time or not', async () => {
    await jobs.lose();
    const id = await jobs.createId();
    reader.follow(({ operation }) => (operation === 'UpdateItem' ? 'crash' : undefined));
    await readBy(reader);
    expect([await jobs.gaps(), (await jobs.audit()).lost]).toEqual([[], [0]]);
    expect([await jobs.read(), await jobs.gaps()]).toEqual([{ total: 1, ids: [id] }, [0]]);
  });

  it('leads on in a part of a list at whose end numbers are lost', async () => {
    await jobs.lose(3);
    const id = await jobs.createId();
    const seen: string[] = [];
    let after: string | undefined;
    for (let parts = 0; parts < 9 && (parts === 0 || after !== undefined); parts++) {
      const part = await jobs.records().cursorPage({ limit: 2, after });
      seen.push(...part.records.map(({ record }) => record.id));
      after = part.next;
    }
    expect([seen, after]).toEqual([[id], undefined]);
  });
});

describe('a number that was allocated for nothing', () => {
  const REFUSED = 'another record has this code';
  const refused = (over?: FaultyHandler, at: How['at'] = NOW) =>
    expect(jobs.create({ code: 'taken' }, { over, at })).rejects.toThrow(REFUSED);

  it('is released by an operation that is refused', async () => {
    await jobs.create({ code: 'taken' });
    await refused();
    expect([await jobs.gaps(), await jobs.audit(), (await jobs.read()).total]).toEqual([[1], NO_FAULTS, 1]);
  });

  it('is released also where the refused transaction still holds its key', async () => {
    await jobs.create({ code: 'taken' });
    // The clock stands, so that no release is late on a busy machine.
    let puts = 0;
    writer.follow(({ operation }) => (operation === 'PutItem' && puts++ < 3 ? 'conflict' : undefined));
    await refused(writer, () => NOW);
    expect([await jobs.gaps(), await jobs.audit()]).toEqual([[1], NO_FAULTS]);
  });

  it('is used by the next run of the same operation', async () => {
    const id = await jobs.createId();
    let runs = 0;
    await doIn(table.open(), async (tenant) => {
      const records = tenant.records(jobs.entity);
      const stored = await records.get(id);
      if (stored === undefined) throw new Error('it is not there');
      if (runs++ === 0) await jobs.change(id, { state: 'done' });
      await records.update(stored, { state: 'held' });
      await records.create({ fields: { state: 'open' } });
    });
    expect([runs, (await jobs.read()).total, await jobs.gaps()]).toEqual([2, 2, []]);
  });

  it('is released once when a reader has fenced it already', async () => {
    await jobs.create({ code: 'taken' });
    const release = writer.pauseBefore('PutItem', 'TOMBSTONE');
    const creating = refused(writer);
    await release.reached;
    expect((await jobs.read({}, LATE)).total).toBe(1);
    release.release();
    await creating;
    expect([await jobs.gaps(), await jobs.audit()]).toEqual([[1], NO_FAULTS]);
  });

  it('is fenced by readers when it could not be released', async () => {
    await jobs.create({ code: 'taken' });
    writer.follow(({ operation, index }) => (operation === 'UpdateItem' && index > 2 ? 'crash' : undefined));
    await expect(jobs.create({ code: 'taken' }, { over: writer })).rejects.toThrow();
    expect((await jobs.audit()).lost).toEqual([1]);
    expect([(await jobs.read({}, LATE)).total, await jobs.audit()]).toEqual([1, NO_FAULTS]);
  });

  it('is not released while the write may yet arrive', async () => {
    writer.follow(({ operation }) => (operation === 'TransactWriteItems' ? 'dropped' : undefined));
    await expect(jobs.create({}, { over: writer, patience: 100 })).rejects.toThrow(listErrors.TableUnavailable);
    expect([await jobs.gaps(), (await jobs.audit()).lost]).toEqual([[], [0]]);
  });
});

describe('a gap of an expiring list', () => {
  const lines = new TestList(table, entity<Job>('LINE', { indexes: [set('state')], retentionDays: 30 }), {
    state: 'open',
  });
  const on = (day: number) => ({ at: NOW + day * 86_400_000 });

  it('is kept for as long as the youngest in its item, whenever a reader closes an older one', async () => {
    await lines.lose();
    await lines.skip(31, NOW);
    await lines.lose(1, on(25));
    await lines.page({ page_size: 1, sort: '-created_at' }, on(26));
    await lines.page({ page_size: 1 }, on(29));
    const items = await itemsIn(table.table, storedSets.partitionOf(lines.partition));
    expect(await lines.gaps()).toEqual(Array.from({ length: 33 }, (_, number) => number));
    const expires = Number(items.find(({ SK }) => SK === bitPlace(0).sortKey)?.TTL) * 1_000;
    expect(expires).toBeGreaterThan(on(25 + 31 + 34).at);
  });
});
