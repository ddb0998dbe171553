import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { ids, listErrors } from '@custodia/counted-lists';
import { beforeEach, describe, expect, it } from 'vitest';
import { entity, NotUnique, order, StaleRead, set, words } from '#table';
import { kind } from '../../operator/maintenance/verify/kinds.ts';
import { verify } from '../../operator/maintenance/verify/verify.ts';
import { trimmed } from '../../shared/words.ts';
import { itemsIn, wordPartition, wordsIn } from '../support/audit.ts';
import type { Fault } from '../support/faults.ts';
import { PausingHandler } from '../support/pauses.ts';
import { openTenant, tableAt } from '../support/storage.ts';
import { NO_FAULTS, TestList, useTable } from './test-list.ts';

/** Entries of new records are written before these, and count for nothing without them, whoever ends or sleeps between the two. */

interface Job {
  id: string;
  state: string;
  name: string;
  moved_at: string;
  code?: string;
  created_at?: string;
}

/** In whole seconds. It is the real time, by which DynamoDB Local deletes what has expired. */
const NOW = Math.floor(Date.now() / 1_000) * 1_000;
const LATE = { at: NOW + 60_000 };
const HOUR = 3_600_000;

const table = useTable(NOW);
const indexes = [set<keyof Job>('state'), words<keyof Job>(['name']), order<keyof Job>('moved_at')];
const jobs = new TestList(table, entity<Job>('JOB', { indexes, unique: { code: trimmed } }), {
  state: 'open',
  name: 'Acme Lisbon',
  moved_at: new Date(NOW).toISOString(),
});

let writer: PausingHandler;
beforeEach(() => {
  writer = new PausingHandler();
});
const over = () => ({ over: writer });

/** The numbers that have entries. */
async function entered(): Promise<number[]> {
  const items = [
    ...(await wordsIn(table.table, jobs.partition)),
    ...(await itemsIn(table.table, `${jobs.partition}#moved_at#ORDER`)),
  ];
  return [...new Set(items.map(({ SK }) => ids.numberIn(String(SK).split('\n')[1] ?? '')))].toSorted();
}

const QUERIES = [
  { q: 'lis' },
  { q: 'acme lisbon' },
  { ranges: { moved_at: { after: new Date(NOW).toISOString() } } },
  { q: 'acme', sort: '-moved_at' },
];
/** What lists by entries have. */
const found = (how?: Parameters<typeof jobs.read>[1], page: object = {}) =>
  Promise.all(QUERIES.map((query) => jobs.read({ ...query, ...page }, how)));
const each = <T>(value: T): T[] => QUERIES.map(() => value);

/** A creation between its entries and its record. */
async function heldCreation(how: Parameters<typeof jobs.createId>[1] = {}) {
  const paused = writer.pauseBefore('TransactWriteItems');
  const done = jobs.createId({}, { ...how, ...over() });
  done.catch(() => undefined);
  await Promise.race([paused.reached, done]);
  expect(await entered()).toContain(0);
  return { release: paused.release, done };
}

describe('a writer that sleeps between the entries of its record and the record', () => {
  it('is in no total, also not on another page, and in all once it has written', async () => {
    const { release, done } = await heldCreation();
    const other = await jobs.createId();
    expect(await found({}, { page_size: 1, page: 2 })).toEqual(each({ total: 1, ids: [] }));
    expect(await found()).toEqual(each({ total: 1, ids: [other] }));
    release();
    const id = await done;
    expect((await found()).map((list) => [list.total, list.ids.toSorted()])).toEqual(each([2, [id, other].toSorted()]));
    expect(await jobs.audit()).toEqual(NO_FAULTS);
  });

  it('writes under another number where a reader of a list by entries has closed it, and leaves nothing under it', async () => {
    const { release, done } = await heldCreation();
    expect(await jobs.read({ q: 'acme' }, LATE)).toEqual({ total: 0, ids: [] });
    expect(await jobs.gaps()).toEqual([0]);
    release();
    const id = await done;
    expect([await entered(), await found()]).toEqual([[1], each({ total: 1, ids: [id] })]);
    expect([await jobs.audit(), (await jobs.verify(false)).differences]).toEqual([NO_FAULTS, []]);
  });

  it('sends nothing after an hour, and its entries count for nothing until a repair deletes them', async () => {
    let now = NOW;
    const paused = writer.pauseBefore('BatchWriteItem');
    const done = jobs.createId({}, { at: () => now, patience: 2 * HOUR, ...over() });
    done.catch(() => undefined);
    await paused.reached;
    now += HOUR + 1;
    paused.release();
    await expect(done).rejects.toThrow(listErrors.TableUnavailable);
    const later = { at: now + 60_000 };
    expect(await found(later)).toEqual(each({ total: 0, ids: [] }));
    expect([await entered(), (await jobs.verify(false, later)).differences]).toEqual([[0], []]);
    expect((await jobs.verify(true, later)).differences.map(({ repaired }) => repaired)).toEqual([true, true, true]);
    expect([await entered(), (await jobs.verify(false, later)).differences]).toEqual([[], []]);
  });

  it('keeps its entries where the operator repairs meanwhile', async () => {
    const { release, done } = await heldCreation();
    expect((await jobs.verify(true)).differences).toEqual([]);
    release();
    const id = await done;
    expect([await found(), await jobs.audit()]).toEqual([each({ total: 1, ids: [id] }), NO_FAULTS]);
  });

  it('keeps its entries where the operator deletes what stood there before', async () => {
    const key = { PK: wordPartition(jobs.partition, 'acme'), SK: `acme\n${ids.sortKeyOf(0)}` };
    await table.table.client.send(new PutCommand({ TableName: table.table.name, Item: { ...key, TEXTS: 'acme' } }));
    const repairing = tableAt(table.place);
    let held: Awaited<ReturnType<typeof heldCreation>> | undefined;
    repairing.client.middlewareStack.add(
      (next, { commandName }) =>
        async (request) => {
          if (commandName === 'TransactWriteItemsCommand') held ??= await heldCreation();
          return next(request);
        },
      { step: 'initialize', priority: 'high' },
    );
    await verify(openTenant(repairing, table.org), [kind(jobs.entity)], { repair: true });
    held?.release();
    expect(await held?.done).toBeDefined();
    expect([(await found())[0]?.total, (await jobs.verify(false)).differences]).toEqual([1, []]);
  });

  it('takes another number where the operator has closed it', async () => {
    const { release, done } = await heldCreation();
    expect((await jobs.verify(true, LATE)).differences.length).toBeGreaterThan(0);
    release();
    const id = await done;
    expect([await entered(), await found(), await jobs.audit()]).toEqual([
      [1],
      each({ total: 1, ids: [id] }),
      NO_FAULTS,
    ]);
  });
});

describe('a creation', () => {
  it('that is refused deletes its entries once its number is closed, before it counts as a gap', async () => {
    await jobs.create({ code: 'a' });
    writer.follow(() => undefined);
    await expect(jobs.create({ code: 'a' }, over())).rejects.toThrow(NotUnique);
    const writes = writer.calls.filter((operation) => operation !== 'GetItem' && operation !== 'Query');
    expect(writes.slice(-3)).toEqual(['PutItem', 'BatchWriteItem', 'UpdateItem']);
    expect([await entered(), await jobs.gaps()]).toEqual([[0], [1]]);
  });

  it('that dies before its record leaves entries that no list counts, once its number is found', async () => {
    writer.follow(({ operation }) => (operation === 'TransactWriteItems' ? 'crash' : undefined));
    await expect(jobs.create({}, over())).rejects.toThrow();
    const id = await jobs.createId();
    expect(await found()).toEqual(each({ total: 1, ids: [id] }));
    expect(await found(LATE)).toEqual(each({ total: 1, ids: [id] }));
    expect([await jobs.gaps(), await entered()]).toEqual([[0], [0, 1]]);
    expect((await jobs.verify(false, LATE)).differences).toEqual([]);
    expect((await jobs.verify(true, LATE)).differences.every(({ repaired }) => repaired)).toBe(true);
    expect([await entered(), await jobs.audit()]).toEqual([[1], NO_FAULTS]);
  });

  it.each<Fault>(['dropped', 'reply-lost', 'timeout', 'server-error', 'applied-server-error'])(
    'whose entries got no response takes another number: %s',
    async (fault) => {
      let isFirst = true;
      writer.follow(({ operation }) => {
        if (operation !== 'BatchWriteItem' || !isFirst) return undefined;
        isFirst = false;
        return fault;
      });
      const id = await jobs.createId({}, over());
      expect([ids.numberOf(id), await jobs.gaps(), await entered()]).toEqual([1, [0], [1]]);
      expect([await found(), await jobs.audit()]).toEqual([each({ total: 1, ids: [id] }), NO_FAULTS]);
    },
  );

  it('that is found much later is closed by a page of a list that gets records all the time', async () => {
    writer.follow(({ operation }) => (operation === 'TransactWriteItems' ? 'crash' : undefined));
    await expect(jobs.create({}, { ...over(), at: NOW - 60_000 })).rejects.toThrow();
    for (const at of [NOW - 50_000, NOW])
      await jobs.create({ name: 'Porto', created_at: new Date(at).toISOString() }, { at });
    expect(await jobs.read({ q: 'acme', sort: '-created_at' })).toEqual({ total: 0, ids: [] });
    expect(await jobs.gaps()).toEqual([0]);
  });

  it('that runs a third time with the words of the first run has them', async () => {
    let tries = 0;
    const made = await jobs.do(async (records) => {
      if (tries++ < 2) records.require(ids.newId(7), () => new StaleRead('it is gone'));
      const name = tries === 2 ? 'Acme Porto' : 'Acme Lisbon';
      return records.create({ fields: { state: 'open', name, moved_at: new Date(NOW).toISOString() } });
    });
    expect([tries, await jobs.read({ q: 'lisbon' })]).toEqual([3, { total: 1, ids: [made.record.id] }]);
    expect([await jobs.read({ q: 'porto' }), (await jobs.verify(false)).differences]).toEqual([
      { total: 0, ids: [] },
      [],
    ]);
  });

  it('whose record may be written late keeps its entries as they are', async () => {
    let tries = 0;
    let isFirst = true;
    writer.follow(({ operation }) => {
      if (operation !== 'TransactWriteItems' || !isFirst) return undefined;
      isFirst = false;
      return 'dropped';
    });
    const creating = jobs.do(async (records) => {
      if (tries++ === 0) records.require(ids.newId(7), () => new StaleRead('it is gone'));
      const name = tries === 1 ? 'Acme Lisbon' : 'Acme Porto';
      return records.create({ fields: { state: 'open', name, moved_at: new Date(NOW).toISOString() } });
    }, over());
    await expect(creating).rejects.toThrow(listErrors.TableUnavailable);
    expect((await wordsIn(table.table, jobs.partition)).map(({ TEXTS }) => TEXTS)).toEqual(
      Array(2).fill('acme\nlisbon'),
    );
  });

  it('that runs again with other words leaves none of the first ones', async () => {
    let tries = 0;
    const made = await jobs.do(async (records) => {
      if (tries++ === 0) records.require(ids.newId(7), () => new StaleRead('it is gone'));
      const name = tries === 1 ? 'Acme Lisbon' : 'Acme Porto';
      const moved_at = new Date(NOW + tries).toISOString();
      return records.create({ fields: { state: 'open', name, moved_at } });
    });
    expect([tries, ids.numberOf(made.record.id), await jobs.gaps()]).toEqual([2, 0, []]);
    expect(await jobs.read({ q: 'lisbon' })).toEqual({ total: 0, ids: [] });
    expect(await jobs.read({ q: 'porto' })).toEqual({ total: 1, ids: [made.record.id] });
    expect((await jobs.verify(false)).differences).toEqual([]);
  });

  it('keeps its number where the table is too busy at first', async () => {
    let calls = 0;
    writer.follow(({ operation }) => (operation === 'BatchWriteItem' && calls++ === 0 ? 'throttled' : undefined));
    const id = await jobs.createId({}, over());
    expect([await found(), await jobs.audit()]).toEqual([each({ total: 1, ids: [id] }), NO_FAULTS]);
  });
});

it('entries that arrive late, after their record would have changed, are found by nobody', async () => {
  const late = new LateEntries();
  const id = await jobs.createId({}, { over: late });
  await jobs.change(id, { name: 'Porto', moved_at: new Date(NOW + 1_000).toISOString() });
  await late.arrive();
  expect(await entered()).toEqual([0, 1]);
  expect(await jobs.read({ q: 'acme' })).toEqual({ total: 0, ids: [] });
  expect(await jobs.read({ q: 'porto' })).toEqual({ total: 1, ids: [id] });
  expect(await jobs.read({ sort: '-moved_at' })).toEqual({ total: 1, ids: [id] });
});

/** Loses the first write of entries, and delivers it when the test says so. */
class LateEntries extends PausingHandler {
  #held: (() => ReturnType<PausingHandler['handle']>) | undefined;

  async arrive(): Promise<void> {
    await this.#held?.();
  }

  override async handle(...call: Parameters<PausingHandler['handle']>): ReturnType<PausingHandler['handle']> {
    if (this.#held !== undefined || !String(call[0].headers['x-amz-target']).endsWith('BatchWriteItem'))
      return super.handle(...call);
    this.#held = () => super.handle(...call);
    throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  }
}
