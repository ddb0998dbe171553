import { randomUUID } from 'node:crypto';
import { ids, listErrors } from '@custodia/counted-lists';
import { describe, expect, it } from 'vitest';
import { entity, RequestSession, set } from '#table';
import { trimmed } from '../../shared/words.ts';
import { itemsIn } from '../support/audit.ts';
import type { Fault, FaultyHandler } from '../support/faults.ts';
import { LateHandler } from '../support/late-requests.ts';
import { SDK_ATTEMPTS } from '../support/storage.ts';
import { NO_FAULTS, TestList, useTable } from './test-list.ts';

/** Numbers allocated for a record that is refused leave a bit, and a tombstone only where something may still arrive. */

interface Job {
  readonly id: string;
  readonly state: string;
  readonly code: string;
}

/** In whole seconds. It is the real time, by which DynamoDB Local deletes what has expired. */
const NOW = Math.floor(Date.now() / 1_000) * 1_000;
const LATE = NOW + 60_000;
const DAY = 86_400_000;

const table = useTable(NOW);
const kind = entity<Job>('JOB', { indexes: [set('state')], unique: { code: trimmed } });
const jobs = new TestList(table, kind, { state: 'open', code: 'lost' }, { state: ['open'] });

const refusedCreate = (over?: FaultyHandler) =>
  expect(jobs.create({ code: 'taken' }, { over })).rejects.toThrow('another record has this code');
/** An operation that is refused before anything of it is sent. */
const refusedOperation = (over?: FaultyHandler) =>
  expect(
    jobs.do(
      async (records) => {
        await records.create({ fields: { state: 'open', code: 'a' } });
        throw new Error('refused');
      },
      { over },
    ),
  ).rejects.toThrow('refused');
const tombstones = async () => (await jobs.tombstones()).map(({ number }) => number);
/** Those that do not expire. */
const lasting = async () =>
  (await jobs.tombstones()).filter(({ TTL }) => TTL === undefined).map(({ number }) => number);
const total = async () => (await jobs.read({ page_size: 5 }, { at: LATE })).total;

describe('a number whose record is refused', () => {
  it('leaves no tombstone where it was in no transaction', async () => {
    await refusedOperation();
    expect([await jobs.gaps(), await tombstones(), await jobs.audit()]).toEqual([[0], [], NO_FAULTS]);
  });

  it('leaves one that expires where DynamoDB responded with a refusal, however often', async () => {
    await jobs.create({ code: 'taken' });
    for (let count = 0; count < 40; count++) await refusedCreate();
    const numbers = Array.from({ length: 40 }, (_, index) => index + 1);
    expect([await jobs.gaps(), await lasting(), await jobs.audit(), await total()]).toEqual([
      numbers,
      [],
      NO_FAULTS,
      1,
    ]);
    const left = await jobs.tombstones();
    expect(left).toHaveLength(40);
    for (const { TTL } of left) expect(TTL).toBeGreaterThanOrEqual(NOW / 1_000 + 86_400);
  });

  const FAULTS: readonly Fault[] = ['dropped', 'reply-lost', 'timeout', 'server-error'];
  it.each(FAULTS.flatMap((fault) => [1, SDK_ATTEMPTS].map((times) => ({ fault, times }))))(
    'leaves one where an attempt had no response: $fault, $times of the SDK’s',
    async ({ fault, times }) => {
      await jobs.create({ code: 'taken' });
      const handler = new LateHandler(() => false);
      let met = 0;
      handler.follow(({ operation }) => (operation === 'TransactWriteItems' && met++ < times ? fault : undefined));
      await refusedCreate(handler);
      expect([await jobs.gaps(), await lasting(), await jobs.audit()]).toEqual([[1], [1], NO_FAULTS]);
    },
  );

  it.each([
    { how: 'late', isAnswered: false, forgotten: false },
    { how: 'late, with its token forgotten', isAnswered: false, forgotten: true },
    { how: 'twice', isAnswered: true, forgotten: false },
    { how: 'twice, with its token forgotten', isAnswered: true, forgotten: true },
  ])('is not written by an attempt that arrives $how', async ({ isAnswered, forgotten }) => {
    const id = await jobs.createId({ code: 'taken' });
    const handler = new LateHandler((operation) => operation === 'TransactWriteItems', isAnswered);
    await refusedCreate(handler);
    // Now nothing but the tombstone is in its way.
    await jobs.remove(id);
    expect(await handler.deliver(forgotten)).toEqual({ status: 400 });
    expect([await jobs.gaps(), await tombstones(), await jobs.audit(), await total()]).toEqual([
      [0, 1],
      [1],
      NO_FAULTS,
      0,
    ]);
  });
});

describe('the release of a number', () => {
  const setsBit = (operation: string, body: string) => operation === 'UpdateItem' && body.includes('"B#');

  it('sets the bit once, late and twice', async () => {
    const handler = new LateHandler(setsBit);
    // The second attempt is carried out, then the first one arrives, and arrives again.
    await refusedOperation(handler);
    expect(await jobs.gaps()).toEqual([0]);
    for (let times = 0; times < 2; times++) expect(await handler.deliver()).toEqual({ status: 400 });
    expect([await jobs.gaps(), await jobs.audit(), await total()]).toEqual([[0], NO_FAULTS, 0]);
  });

  /** A release whose bit has not arrived when its process dies. */
  const interruptedRelease = async () => {
    const handler = new LateHandler(setsBit);
    handler.follow(({ operation, index }) => (operation === 'UpdateItem' && index > 0 ? 'crash' : undefined));
    await refusedOperation(handler);
    expect([await jobs.gaps(), await tombstones()]).toEqual([[], []]);
    return handler;
  };

  it('sets no bit that a reader has set while it was under way', async () => {
    const handler = await interruptedRelease();
    expect([await total(), await jobs.gaps(), await tombstones()]).toEqual([0, [0], [0]]);
    expect(await handler.deliver()).toEqual({ status: 400 });
    expect([await jobs.gaps(), await jobs.audit()]).toEqual([[0], NO_FAULTS]);
  });

  it('is not followed by a reader who comes after it', async () => {
    const handler = await interruptedRelease();
    expect(await handler.deliver()).toEqual({ status: 200 });
    expect([await jobs.gaps(), await tombstones(), await total(), await jobs.audit()]).toEqual([[0], [], 0, NO_FAULTS]);
  });
});

describe('a tombstone', () => {
  const look = (at: number, repair = true) => jobs.verify(repair, { at });
  const create = () => jobs.create({ code: randomUUID() });

  it('is deleted by a verification that noted its number a day before, and the bit stays', async () => {
    await create();
    await jobs.lose(40);
    await create();
    expect([await total(), (await tombstones()).length]).toEqual([2, 40]);
    for (const repair of [false, true]) {
      expect(await look(LATE, repair)).toMatchObject({ tombstones: 0, differences: [] });
    }
    await jobs.lose();
    await create();
    expect(await total()).toBe(3);
    expect(await look(LATE + DAY - 1_000)).toMatchObject({ tombstones: 0 });
    expect(await look(LATE + DAY + 1_000, false)).toMatchObject({ tombstones: 0 });
    expect(await look(LATE + DAY + 1_000)).toMatchObject({ tombstones: 40, differences: [] });
    expect(await tombstones()).toEqual([42]);
    expect(await look(LATE + 2 * DAY + 2_000)).toMatchObject({ tombstones: 1, differences: [] });
    expect([await tombstones(), (await jobs.gaps()).length, await jobs.audit()]).toEqual([[], 41, NO_FAULTS]);
  });

  it.each([-60, 60])('is deleted in time although the clock that noted it was wrong by %i days', async (days) => {
    await jobs.lose();
    await create();
    expect(await total()).toBe(1);
    await look(LATE + days * DAY);
    expect(await look(LATE)).toMatchObject({ tombstones: 0 });
    expect(await look(LATE + DAY + 1_000)).toMatchObject({ tombstones: 1 });
  });

  it('is not needed against a request that was paused for hours: it sends nothing any more', async () => {
    let now = NOW;
    const session = new RequestSession(table.table, () => now, Number.POSITIVE_INFINITY);
    const { id } = table.open();
    const allocated = await session.numbers.allocate(session.tables.of(id), { partition: jobs.partition, filters: [] });
    session.changes.of(id).put({ PK: jobs.partition, SK: ids.sortKeyOf(allocated.number) }, () => new Error('refused'));
    now += 3_700_000;
    await expect(session.commit()).rejects.toThrow(listErrors.TableUnavailable);
    expect(await itemsIn(table.table, jobs.partition)).toEqual([]);
  });
});
