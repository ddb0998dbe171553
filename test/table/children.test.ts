import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Table } from '../../shared/table/connection/client.ts';
import { cascadeDeletePartition, setPartition, type TenantId } from '../../shared/table/keys.ts';
import { isEmpty } from '../../shared/table/lists/bits.ts';
import { entity } from '../../shared/table/repository/entity.ts';
import type { Tenant } from '../../shared/table/tenant.ts';
import { auditOf, itemsIn } from '../support/audit.ts';
import { clockAt } from '../support/clock.ts';
import { type FreshTable, freshTable } from '../support/dynamodb.ts';
import { PausingHandler } from '../support/pauses.ts';
import { doIn, openTenant, tableAt } from '../support/storage.ts';

/** What lies below a record ends with it; and sets that nobody needs any more are taken away. */

interface Job {
  id: string;
  state: string;
}
interface Note {
  id: string;
  text: string;
}
const jobs = entity<Job>('JOB', { filters: ['state'] });
const notes = entity<Note>('NOTE', { parent: jobs });
const NOW = Date.now();

let fresh: FreshTable;
let table: Table;
beforeAll(async () => {
  fresh = await freshTable();
  table = tableAt(fresh);
});

let org: string;
let handler: PausingHandler;
beforeEach(() => {
  org = randomUUID();
  handler = new PausingHandler();
});

const open = (own = false): Tenant => openTenant(own ? tableAt(fresh, handler) : table, org, clockAt(NOW));
const createJob = async (state = 'open') =>
  (await doIn(open(), (tenant) => tenant.records(jobs).create({ state }))).record.id;
const addNote = (id: string, own = false) =>
  doIn(open(own), async (tenant) => {
    if ((await tenant.records(jobs).get(id)) === undefined) return undefined;
    return tenant.below(notes, id).create({ text: 'a' });
  });
const remove = (id: string, own = false) =>
  doIn(open(own), async (tenant) => {
    const below = tenant.below(notes, id);
    const [job, keys] = await Promise.all([tenant.records(jobs).get(id), below.keys()]);
    if (job !== undefined) tenant.records(jobs).remove(job, below.deleteAll(keys, job));
  });

/** Everything that is stored below a job, and what waits to be swept. */
async function leftOf(id: string): Promise<number> {
  const partition = `ORG#${org}#JOB#${id}#NOTE`;
  const places = [partition, setPartition(partition), cascadeDeletePartition(org as TenantId)];
  const items = await Promise.all(places.map((place) => itemsIn(table, place)));
  return items.flat().length;
}

describe('the records below another', () => {
  it.each([0, 3, 38, 39, 120])('end with it: %i of them', async (count) => {
    const id = await createJob();
    for (let index = 0; index < count; index++) await addNote(id);
    expect(await leftOf(id)).toBeGreaterThanOrEqual(count);
    await remove(id);
    expect(await leftOf(id)).toBe(0);
    expect(await auditOf(table, `ORG#${org}#JOB`, { state: ['open'] })).toEqual({ lost: [], faults: [] });
  });

  it('end with it also when one comes while it is being deleted', async () => {
    const id = await createJob();
    await addNote(id);
    const paused = handler.pauseBefore('TransactWriteItems');
    const removing = remove(id, true);
    await paused.reached;
    await addNote(id);
    paused.release();
    await removing;
    expect(await leftOf(id)).toBe(0);
  });

  it('do not come to lie below one that was deleted meanwhile', async () => {
    const id = await createJob();
    await addNote(id);
    const paused = handler.pauseBefore('TransactWriteItems');
    const adding = addNote(id, true);
    await paused.reached;
    await remove(id);
    paused.release();
    expect(await adding).toBeUndefined();
    expect((await itemsIn(table, `ORG#${org}#JOB#${id}#NOTE`)).filter(({ text }) => text !== undefined)).toEqual([]);
  });
});

describe('sets that were emptied', () => {
  it('are taken away by a reader of the list, those alone', async () => {
    const ids = [];
    for (let index = 0; index < 12; index++) ids.push(await createJob());
    for (const id of ids.slice(0, 10)) {
      await doIn(open(), async (tenant) => {
        const job = await tenant.records(jobs).get(id);
        if (job !== undefined) await tenant.records(jobs).update(job, { state: 'done' });
      });
    }
    const set = setPartition(`ORG#${org}#JOB`, 'state', 'open');
    const before = await itemsIn(table, set);
    expect(before.filter(isEmpty)).toHaveLength(10);
    const page = () =>
      open()
        .records(jobs)
        .page({ page: 1, page_size: 5, sort: 'created_at', filter: { state: 'open' } });
    expect((await page()).total).toBe(2);
    expect((await itemsIn(table, set)).filter(isEmpty)).toEqual([]);
    expect(await itemsIn(table, set)).toHaveLength(before.length - 10);
    expect((await page()).total).toBe(2);
    expect((await auditOf(table, `ORG#${org}#JOB`, { state: ['open', 'done'] })).faults).toEqual([]);
  });
});
