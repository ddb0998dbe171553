import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { listErrors, storedSets } from '@custodia/counted-lists';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { entity, set } from '#table';
import { bitPlace } from '../support/bits.ts';
import { ConflictingHandler, Conflicts } from '../support/conflicts.ts';
import type { FaultyHandler } from '../support/faults.ts';
import { PausingHandler } from '../support/pauses.ts';
import { type Filter, TestList, useTable } from './test-list.ts';

/** What verifying builds and repairs in the storage of a list, also of a filter that a later release adds to an entity with records. */

interface Job {
  id: string;
  state: string;
  owner: string | null;
}

const table = useTable();
const DEFAULTS = { state: 'open', owner: 'ana' };
/** Two releases of the service, of which the later one declares a further filter. */
const before = new TestList(table, entity<Job>('JOB', { indexes: [set('state')] }), DEFAULTS);
const after = new TestList(table, entity<Job>('JOB', { indexes: [set('state'), set('owner')] }), DEFAULTS);
const aged = new TestList(
  table,
  entity<Job>('AGED', { indexes: [set('state'), set('owner')], retentionDays: 30 }),
  DEFAULTS,
);
type List = typeof after;

// No call runs out of time, however slow the machine is.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  onTestFinished(() => void vi.useRealTimers());
});

async function idsOf(filter: Filter, list: List = after): Promise<string[]> {
  const { total, ids } = await list.read({ filter });
  expect(total).toBe(ids.length);
  return ids;
}
const differences = async (repair: boolean, list: List = after, over?: FaultyHandler) =>
  (await list.verify(repair, { over })).differences.map(({ kind, repaired }) => [kind, repaired]);
const BUILT = ['filter-not-built', true];

describe('a filter that is added later', () => {
  it('has the record of a writer that allocated its number before the filter was noted, and wrote it afterwards', async () => {
    const first = await before.createId();
    const handler = new PausingHandler();
    const paused = handler.pauseBefore('TransactWriteItems');
    const writing = before.createId({}, { over: handler });
    await Promise.race([paused.reached, writing]);
    expect(await differences(true)).toContainEqual(BUILT);
    paused.release();
    const second = await writing;
    expect(await idsOf({ owner: 'ana' })).toEqual([first, second]);
    expect(await differences(false)).toEqual([]);
  });

  it('is built while records come, change and go, where transactions meet as in DynamoDB', async () => {
    const over = new ConflictingHandler(new Conflicts());
    const made = Array.from({ length: 30 }, (_, index) => before.createId({ owner: `o${index % 4}` }, { over }));
    const ids = await Promise.all(made);
    const writing = Promise.all(
      ids.map(async (id, index) => {
        if (index % 3 === 0) await after.change(id, { owner: 'o0' }, { over });
        if (index % 3 === 1) await after.remove(id, { over });
        if (index % 3 === 2) await after.create({ state: 'done', owner: 'o1' }, { over });
      }),
    );
    for (let times = 0; times < 3; times++) await differences(true, after, over);
    await writing;
    expect((await differences(true)).filter(([, repaired]) => !repaired)).toEqual([]);
    expect(await differences(false)).toEqual([]);
    const stored = await after.stored();
    for (const owner of ['o0', 'o1', 'o2', 'o3']) {
      const expected = stored.filter((job) => job.owner === owner).map(({ id }) => id);
      expect(await idsOf({ owner })).toEqual(expected);
    }
  });
});

/** Nobody knows then which filters the records stand in: they may be older than the notes. */
describe.each([after, aged])('a list with records whose counter item notes no filters: $entity.name', (list) => {
  it('is decided by the records for each of them, also when more records come, until they were built', async () => {
    const first = await list.createId();
    await table.update(list.counterItem, 'REMOVE #FILTERS');
    expect(await list.found({ filter: { owner: 'ana' } })).toEqual({ ids: [first], by: 'records' });
    expect(await idsOf({}, list)).toEqual([first]);

    const second = await list.createId();
    await list.create({ owner: 'rui' });
    const filter = { state: 'open', owner: 'ana' };
    expect(await list.found({ filter })).toEqual({ ids: [first, second], by: 'records' });
    const part = list.records().cursorPage({ limit: 5, where: [{ field: 'state', anyOf: ['open'] }] });
    await expect(part).rejects.toThrow(listErrors.ListNotBuilt);
    expect(await idsOf({}, list)).toHaveLength(3);

    expect(await differences(true, list)).toEqual([BUILT, BUILT]);
    expect(await list.found({ filter })).toEqual({ ids: [first, second], by: 'indexes' });
  });
});

describe.each([after, aged])('a counter item that was lost: $entity.name', (list) => {
  it('is put together from the records', async () => {
    const ids = [await list.createId(), await list.createId(), await list.createId()];
    await table.table.client.send(new DeleteCommand({ TableName: table.table.name, Key: { ...list.counterItem } }));
    expect(await idsOf({}, list)).toEqual([]);
    expect(await differences(true, list)).toContainEqual(['counter-item-behind', true]);
    expect(await differences(true, list)).toEqual([]);
    for (const filter of [{}, { state: 'open' }]) expect(await idsOf(filter, list)).toEqual(ids);
    const more = await list.createId();
    expect(await idsOf({}, list)).toEqual([...ids, more]);
  });
});

it.each([-1n, 2n ** 100n + 1n])('a damaged word is repaired: %i', async (value) => {
  const ids = [await after.createId(), await after.createId()];
  const key = { PK: storedSets.partitionOf(after.partition, 'state', 'open'), SK: bitPlace(0).sortKey };
  await table.update(key, 'SET #W0 = :value', { ':value': value });
  const found = await differences(true);
  expect(found.map(([, repaired]) => repaired)).not.toContain(false);
  expect(found.length).toBeGreaterThan(0);
  expect([await differences(false), await idsOf({ state: 'open' })]).toEqual([[], ids]);
});
