import { storedSets } from '@custodia/counted-lists';
import { describe, expect, it } from 'vitest';
import { entity, set, tenantPartition } from '#table';
import { Invocation, within } from '../../shared/telemetry/invocation.ts';
import { itemsIn } from '../support/audit.ts';
import { hasNoBit } from '../support/bits.ts';
import { PausingHandler } from '../support/pauses.ts';
import { NO_FAULTS, TestList, useTable } from './test-list.ts';

/** Child records are deleted with their parent, and unneeded sets are deleted. */

interface Job {
  id: string;
  state: string;
}
const table = useTable();
const kind = entity<Job>('JOB', { indexes: [set('state')] });
const jobs = new TestList(table, kind, { state: 'open' }, { state: ['open', 'done'] });
const notes = entity<{ id: string; text: string }>('NOTE', { parent: kind });

const addNotes = (id: string, count: number, over?: PausingHandler) =>
  jobs.do(
    async (records, tenant) => {
      if ((await records.get(id)) === undefined) return undefined;
      const below = tenant.below(notes, id);
      for (let index = 1; index < count; index++) await below.create({ fields: { text: 'a' } });
      return below.create({ fields: { text: 'a' } });
    },
    { over },
  );
const removeWithNotes = (id: string, over?: PausingHandler) =>
  jobs.do(
    async (records, tenant) => {
      const below = tenant.below(notes, id);
      const [job, keys] = await Promise.all([records.get(id), below.keys()]);
      if (job !== undefined) records.remove(job, { along: below.deleteAll(keys) });
    },
    { over },
  );

const notesOf = (id: string) => itemsIn(table.table, `${jobs.partition}#${id}#NOTE`);
/** All child items of a job, and pending cascade deletes. */
async function leftOf(id: string): Promise<number> {
  const places = [
    storedSets.partitionOf(`${jobs.partition}#${id}#NOTE`),
    tenantPartition(table.open().id, 'CASCADE_DELETE'),
  ];
  const items = await Promise.all([notesOf(id), ...places.map((place) => itemsIn(table.table, place))]);
  return items.flat().length;
}

describe('the records below another', () => {
  it.each([0, 3, 38, 39, 120])('end with it: %i of them', async (count) => {
    const id = await jobs.createId();
    for (let left = count; left > 0; left -= 20) await addNotes(id, Math.min(left, 20));
    expect(await leftOf(id)).toBeGreaterThanOrEqual(count);
    await removeWithNotes(id);
    expect([await leftOf(id), await jobs.audit()]).toEqual([0, NO_FAULTS]);
  });

  it('end with it also when one comes while it is being deleted', async () => {
    const id = await jobs.createId();
    await addNotes(id, 1);
    const handler = new PausingHandler();
    const paused = handler.pauseBefore('TransactWriteItems');
    const removing = removeWithNotes(id, handler);
    await paused.reached;
    await addNotes(id, 1);
    paused.release();
    await removing;
    expect(await leftOf(id)).toBe(0);
  });

  it('do not come to lie below one that was deleted meanwhile', async () => {
    const id = await jobs.createId();
    await addNotes(id, 1);
    const handler = new PausingHandler();
    const paused = handler.pauseBefore('TransactWriteItems');
    const adding = addNotes(id, 1, handler);
    await paused.reached;
    await removeWithNotes(id);
    paused.release();
    expect(await adding).toBeUndefined();
    expect((await notesOf(id)).filter(({ text }) => text !== undefined)).toEqual([]);
  });
});

it('a reader of a set deletes its empty items once there are some, those alone, and counts them', async () => {
  // Neighbouring numbers are in different items.
  const ids = await Promise.all(Array.from({ length: 12 }, () => jobs.createId()));
  const set = storedSets.partitionOf(jobs.partition, 'state', 'open');
  const close = (id: string | undefined) => jobs.change(String(id), { state: 'done' });
  const read = async () => {
    const invocation = new Invocation({});
    const { total } = await within(invocation, () => jobs.page({ filter: { state: 'open' } }));
    const items = await itemsIn(table.table, set);
    return [total, invocation.counts.get('ListCompactions'), items.length, items.filter(hasNoBit).length];
  };
  await close(ids.pop());
  expect(await read()).toEqual([11, undefined, 12, 1]);
  for (let times = 0; times < 9; times++) await close(ids.pop());
  expect(await read()).toEqual([2, 10, 2, 0]);
  expect(await read()).toEqual([2, undefined, 2, 0]);
  expect((await jobs.audit()).faults).toEqual([]);
});
