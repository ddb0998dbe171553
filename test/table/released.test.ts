import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exactly } from '../../shared/contract/constraints.ts';
import type { Table } from '../../shared/table/connection/client.ts';
import { TableUnavailable } from '../../shared/table/errors.ts';
import { setPartition } from '../../shared/table/keys.ts';
import { numberIn, sortKeyOf } from '../../shared/table/lists/ids.ts';
import { TOMBSTONE } from '../../shared/table/lists/read-records.ts';
import { entity } from '../../shared/table/repository/entity.ts';
import { TTL_ATTRIBUTE } from '../../shared/table/schema.ts';
import { Session } from '../../shared/table/session.ts';
import { kind } from '../../shared/table/verify/kinds.ts';
import { verify } from '../../shared/table/verify/verify.ts';
import { auditOf, itemsIn, numbersIn } from '../support/audit.ts';
import { clockAt } from '../support/clock.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import type { Fault } from '../support/faults.ts';
import { LateHandler } from '../support/late-requests.ts';
import { doIn, openTenant, SDK_ATTEMPTS, tableAt } from '../support/storage.ts';

/** Numbers that were taken for a record that is refused: they leave a bit, and a tombstone only where something may still arrive. */

interface Job {
  readonly id: string;
  readonly state: string;
  readonly code: string;
}

const jobs = entity<Job>('JOB', { filters: ['state'], unique: { code: exactly } });
/** In whole seconds. It is the real time, by which DynamoDB Local deletes what has expired. */
const NOW = Math.floor(Date.now() / 1_000) * 1_000;
const LATE = NOW + 60_000;
const DAY = 86_400_000;

let fresh: FreshTable;
let table: Table;
let org: string;
beforeAll(async () => {
  fresh = await freshTable();
  table = tableAt(fresh);
});
beforeEach(() => {
  org = randomUUID();
});

const partition = () => `ORG#${org}#JOB`;
const open = (time = NOW, through = table) => openTenant(through, org, clockAt(time));
const create = (code: string, through = table) =>
  doIn(open(NOW, through), (tenant) => tenant.records(jobs).create({ state: 'open', code }));
const refusedCreate = (through = table) =>
  expect(create('taken', through)).rejects.toThrow('another record has this code');
const remove = (id: string) =>
  doIn(open(), async (tenant) => {
    const stored = await tenant.records(jobs).get(id);
    if (stored !== undefined) tenant.records(jobs).remove(stored);
  });
const gaps = () => numbersIn(table, setPartition(partition()));
const audit = () => auditOf(table, partition(), { state: ['open'] });
/** Those of numbers that had no record. */
const tombstoneItems = async () =>
  (await itemsIn(table, partition())).filter((item) => item[TOMBSTONE] !== undefined && item.DELETED === undefined);
const tombstones = async () => (await tombstoneItems()).map(({ SK }) => numberIn(String(SK)));
/** Those that do not expire. */
const lasting = async () =>
  (await tombstoneItems()).filter((item) => item[TTL_ATTRIBUTE] === undefined).map(({ SK }) => numberIn(String(SK)));
const total = async (page_size = 5) =>
  (await open(LATE).records(jobs).page({ page: 1, page_size, sort: 'created_at' })).total;

const SOUND = { lost: [], faults: [] };

describe('a number whose record is refused', () => {
  it('leaves no tombstone where it was in no transaction', async () => {
    const refused = doIn(open(), async (tenant) => {
      await tenant.records(jobs).create({ state: 'open', code: 'a' });
      throw new Error('refused');
    });
    await expect(refused).rejects.toThrow('refused');
    expect([await gaps(), await tombstones(), await audit()]).toEqual([[0], [], SOUND]);
  });

  it('leaves one that expires where DynamoDB answered that it was refused, however often', async () => {
    await create('taken');
    for (let count = 0; count < 70; count++) await refusedCreate();
    const numbers = Array.from({ length: 70 }, (_, index) => index + 1);
    expect([await gaps(), await lasting(), await audit(), await total()]).toEqual([numbers, [], SOUND, 1]);
    const expiries = (await tombstoneItems()).map((item) => Number(item[TTL_ATTRIBUTE]));
    expect(expiries).toHaveLength(70);
    for (const expires of expiries) expect(expires).toBeGreaterThanOrEqual(NOW / 1_000 + 86_400);
  });

  const FAULTS: readonly Fault[] = ['dropped', 'reply-lost', 'timeout', 'server-error'];
  it.each(FAULTS.flatMap((fault) => [1, SDK_ATTEMPTS].map((times) => ({ fault, times }))))(
    'leaves one where an attempt was not answered: $fault, $times of the SDK’s',
    async ({ fault, times }) => {
      await create('taken');
      const handler = new LateHandler(() => false);
      let met = 0;
      handler.follow(({ operation }) => (operation === 'TransactWriteItems' && met++ < times ? fault : undefined));
      await refusedCreate(tableAt(fresh, handler));
      expect([await gaps(), await lasting(), await audit()]).toEqual([[1], [1], SOUND]);
    },
  );

  it.each([
    { how: 'late', hasResponded: false, forgotten: false },
    { how: 'late, with its token forgotten', hasResponded: false, forgotten: true },
    { how: 'again', hasResponded: true, forgotten: false },
    { how: 'again, with its token forgotten', hasResponded: true, forgotten: true },
  ])('is not written by an attempt that arrives $how', async ({ hasResponded, forgotten }) => {
    const { record } = await create('taken');
    const handler = new LateHandler((operation) => operation === 'TransactWriteItems', hasResponded);
    await refusedCreate(tableAt(fresh, handler));
    // Now nothing but the tombstone is in its way.
    await remove(record.id);
    expect(await handler.deliver(forgotten)).toEqual({ status: 400 });
    expect([await gaps(), await tombstones(), await audit(), await total()]).toEqual([[0, 1], [1], SOUND, 0]);
  });
});

describe('the release of a number', () => {
  const isRelease = (operation: string, body: string) =>
    operation === 'TransactWriteItems' && body.includes('"ConditionCheck":');

  /** Takes a number, and does not send its record. */
  const takeInVain = (through: Table) =>
    doIn(open(NOW, through), async (tenant) => {
      await tenant.records(jobs).create({ state: 'open', code: 'other' });
      throw new Error('refused');
    }).catch((error: Error) => expect(error.message).toBe('refused'));

  it.each([false, true])('sets the bit once, late and again; token forgotten: %s', async (forgotten) => {
    await create('taken');
    const handler = new LateHandler(isRelease);
    // The second attempt is carried out, then the first one arrives, and arrives again.
    await takeInVain(tableAt(fresh, handler));
    expect(await gaps()).toEqual([1]);
    for (let times = 0; times < 2; times++) await handler.deliver(forgotten);
    expect([await gaps(), await audit(), await total()]).toEqual([[1], SOUND, 1]);
  });

  it('sets no bit that a reader has set while it was under way', async () => {
    await create('taken');
    const handler = new LateHandler(isRelease);
    handler.follow(({ operation, index }) => (operation === 'TransactWriteItems' && index > 0 ? 'crash' : undefined));
    await takeInVain(tableAt(fresh, handler));
    expect(await total()).toBe(1);
    expect([await gaps(), await tombstones()]).toEqual([[1], [1]]);
    expect(await handler.deliver(true)).toEqual({ status: 400 });
    expect([await gaps(), await audit()]).toEqual([[1], SOUND]);
  });

  it('is not followed by a reader who saw the number before it', async () => {
    await create('taken');
    const handler = new LateHandler(isRelease);
    handler.follow(({ operation, index }) => (operation === 'TransactWriteItems' && index > 0 ? 'crash' : undefined));
    await takeInVain(tableAt(fresh, handler));
    expect(await handler.deliver(true)).toEqual({ status: 200 });
    expect([await gaps(), await tombstones(), await total(), await audit()]).toEqual([[1], [], 1, SOUND]);
  });
});

describe('a tombstone', () => {
  const look = (time: number, repair = true) => verify(open(time), [kind(jobs)], { repair });
  const lose = () => open().records(jobs).create({ state: 'open', code: randomUUID() });

  it('is deleted by a verification that noted its number a day before, and the bit stays', async () => {
    await create('a');
    for (let count = 0; count < 40; count++) await lose();
    await create('b');
    expect(await total()).toBe(2);
    expect((await tombstones()).length).toBe(40);
    expect(await look(LATE, false)).toMatchObject({ tombstones: 0, differences: [] });
    expect(await look(LATE)).toMatchObject({ tombstones: 0, differences: [] });
    await lose();
    await create('c');
    expect(await total()).toBe(3);
    expect(await look(LATE + DAY - 1_000)).toMatchObject({ tombstones: 0 });
    expect(await look(LATE + DAY + 1_000, false)).toMatchObject({ tombstones: 0 });
    expect(await look(LATE + DAY + 1_000)).toMatchObject({ tombstones: 40, differences: [] });
    expect(await tombstones()).toEqual([42]);
    expect(await look(LATE + 2 * DAY + 2_000)).toMatchObject({ tombstones: 1, differences: [] });
    expect([await tombstones(), (await gaps()).length, await audit()]).toEqual([[], 41, SOUND]);
  });

  it('is not deleted early for a clock that was slow when it was noted', async () => {
    await lose();
    await create('a');
    expect(await total()).toBe(1);
    await look(LATE - 60 * DAY);
    expect(await look(LATE)).toMatchObject({ tombstones: 0 });
    expect(await look(LATE + DAY + 1_000)).toMatchObject({ tombstones: 1 });
  });

  it('is deleted as soon where the clock that noted it was 60 days ahead', async () => {
    await lose();
    await create('a');
    expect(await total()).toBe(1);
    await look(LATE + 60 * DAY);
    expect(await look(LATE)).toMatchObject({ tombstones: 0 });
    expect(await look(LATE + DAY + 1_000)).toMatchObject({ tombstones: 1 });
  });

  it('is not needed against a request that was paused for hours: it sends nothing any more', async () => {
    let now = NOW;
    const session = new Session(table, () => now, Number.POSITIVE_INFINITY);
    const { id } = open();
    const taken = await session.allocateNumber(id, { partition: partition(), filters: [] });
    session.unitOfWork(id).put({ PK: partition(), SK: sortKeyOf(taken.number) }, () => new Error('refused'));
    now += 3_700_000;
    await expect(session.commit()).rejects.toThrow(TableUnavailable);
    expect(await itemsIn(table, partition())).toEqual([]);
  });
});
